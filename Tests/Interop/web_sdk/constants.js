// Constants of Firebase's web SDK that the TypeScript compiler had put in place of their names, so that no source of them is left.

export const ComponentType = { PUBLIC: "PUBLIC", PRIVATE: "PRIVATE", VERSION: "VERSION" };
export const InstantiationMode = { LAZY: "LAZY", EAGER: "EAGER", EXPLICIT: "EXPLICIT" };

export const FactorId = { PHONE: "phone", TOTP: "totp" };
export const ProviderId = {
  CUSTOM: "custom", FACEBOOK: "facebook.com", FIREBASE: "firebase", GITHUB: "github.com", GOOGLE: "google.com",
  PASSWORD: "password", PHONE: "phone", TWITTER: "twitter.com",
};
export const SignInMethod = {
  EMAIL_LINK: "emailLink", EMAIL_PASSWORD: "password", FACEBOOK: "facebook.com", GITHUB: "github.com", GOOGLE: "google.com",
  PHONE: "phone", TWITTER: "twitter.com",
};
export const OperationType = { LINK: "link", REAUTHENTICATE: "reauthenticate", SIGN_IN: "signIn" };
export const ActionCodeOperation = Object.fromEntries(
  ["EMAIL_SIGNIN", "PASSWORD_RESET", "RECOVER_EMAIL", "REVERT_SECOND_FACTOR_ADDITION", "VERIFY_AND_CHANGE_EMAIL", "VERIFY_EMAIL"]
    .map((name) => [name, name]),
);
export const AuthEventType = {
  LINK_VIA_POPUP: "linkViaPopup", LINK_VIA_REDIRECT: "linkViaRedirect", REAUTH_VIA_POPUP: "reauthViaPopup",
  REAUTH_VIA_REDIRECT: "reauthViaRedirect", SIGN_IN_VIA_POPUP: "signInViaPopup", SIGN_IN_VIA_REDIRECT: "signInViaRedirect",
  UNKNOWN: "unknown",
};
export const GapiOutcome = { ACK: "ACK", ERROR: "ERROR" };

export const _Status = { ACK: "ack", DONE: "done" };
export const _EventType = { KEY_CHANGED: "keyChanged", PING: "ping" };
export const _TimeoutDuration = { ACK: 50, COMPLETION: 3000, LONG_ACK: 800 };
export const _MessageError = {
  CONNECTION_UNAVAILABLE: "connection_unavailable", INVALID_RESPONSE: "invalid_response", TIMEOUT: "timeout",
  UNSUPPORTED_EVENT: "unsupported_event",
};
