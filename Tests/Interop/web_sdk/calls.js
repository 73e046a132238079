// The functions of Firebase's web SDK that the package leaves out. Each passes on what it is given, and leaves to the SDK's own
// sources the sending, the errors, the tokens, the stored user and the listeners.

import { getModularInstance } from "@firebase/util";
import { _addTidIfNecessary, _performApiRequest, _performSignInRequest, Endpoint, HttpMethod } from "@firebase/auth/src/api";
import { updateEmailPassword } from "@firebase/auth/src/api/account_management/email_and_password";
import * as emails from "@firebase/auth/src/api/authentication/email_and_password";
import { ActionCodeURL } from "@firebase/auth/src/core/action_code_url";
import { EmailAuthProvider } from "@firebase/auth/src/core/providers/email";
import { _setActionCodeSettingsOnRequest } from "@firebase/auth/src/core/strategies/action_code_settings";
import { signInWithCredential } from "@firebase/auth/src/core/strategies/credential";
import { _parseToken } from "@firebase/auth/src/core/user/id_token_result";
import { _logoutIfInvalidated } from "@firebase/auth/src/core/user/invalidation";
import { UserCredentialImpl } from "@firebase/auth/src/core/user/user_credential_impl";
import { ActionCodeOperation, OperationType, ProviderId } from "./constants";

export function signUp(auth, request) {
  return _performSignInRequest(auth, HttpMethod.POST, Endpoint.SIGN_UP, _addTidIfNecessary(auth, request));
}

async function signIn(auth, response, isAnonymous) {
  const credential = await UserCredentialImpl._fromIdTokenResponse(auth, OperationType.SIGN_IN, response, isAnonymous);
  await auth._updateCurrentUser(credential.user);
  return credential;
}

export async function signInAnonymously(auth) {
  auth = getModularInstance(auth);
  await auth._initializationPromise;
  if (auth.currentUser?.isAnonymous) {
    return new UserCredentialImpl({ user: auth.currentUser, providerId: null, operationType: OperationType.SIGN_IN });
  }
  return signIn(auth, await signUp(auth, { returnSecureToken: true }), true);
}

export async function signInWithCustomToken(auth, token) {
  auth = getModularInstance(auth);
  const request = _addTidIfNecessary(auth, { token, returnSecureToken: true });
  return signIn(auth, await _performSignInRequest(auth, HttpMethod.POST, Endpoint.SIGN_IN_WITH_CUSTOM_TOKEN, request));
}

export async function sendSignInLinkToEmail(auth, email, settings) {
  const request = { requestType: ActionCodeOperation.EMAIL_SIGNIN, email, clientType: "CLIENT_TYPE_WEB" };
  _setActionCodeSettingsOnRequest(auth, request, settings);
  await emails.sendSignInLinkToEmail(getModularInstance(auth), request);
}

export function isSignInWithEmailLink(auth, link) {
  return ActionCodeURL.parseLink(link)?.operation === ActionCodeOperation.EMAIL_SIGNIN;
}

export function signInWithEmailLink(auth, email, link = location.href) {
  return signInWithCredential(getModularInstance(auth), EmailAuthProvider.credentialWithLink(email, link));
}

export async function fetchSignInMethodsForEmail(auth, email) {
  auth = getModularInstance(auth);
  const request = { identifier: email, continueUri: location.href };
  const { signinMethods } = await _performApiRequest(
    auth, HttpMethod.POST, Endpoint.CREATE_AUTH_URI, _addTidIfNecessary(auth, request));
  return signinMethods ?? [];
}

export async function sendEmailVerification(user, settings) {
  user = getModularInstance(user);
  const request = { requestType: ActionCodeOperation.VERIFY_EMAIL, idToken: await user.getIdToken() };
  if (settings) _setActionCodeSettingsOnRequest(user.auth, request, settings);
  const { email } = await emails.sendEmailVerification(user.auth, request);
  if (email !== user.email) await user.reload();
}

export async function verifyBeforeUpdateEmail(user, newEmail, settings) {
  user = getModularInstance(user);
  const request = { requestType: ActionCodeOperation.VERIFY_AND_CHANGE_EMAIL, idToken: await user.getIdToken(), newEmail };
  if (settings) _setActionCodeSettingsOnRequest(user.auth, request, settings);
  const { email } = await emails.verifyAndChangeEmail(user.auth, request);
  if (email !== user.email) await user.reload();
}

export async function updateProfile(user, { displayName, photoURL: photoUrl }) {
  if (displayName === undefined && photoUrl === undefined) return;
  user = getModularInstance(user);
  const request = { idToken: await user.getIdToken(), displayName, photoUrl, returnSecureToken: true };
  const response = await _logoutIfInvalidated(
    user, _performApiRequest(user.auth, HttpMethod.POST, Endpoint.SET_ACCOUNT_INFO, request));
  user.displayName = response.displayName || null;
  user.photoURL = response.photoUrl || null;
  const password = user.providerData.find(({ providerId }) => providerId === ProviderId.PASSWORD);
  if (password) {
    password.displayName = user.displayName;
    password.photoURL = user.photoURL;
  }
  await user._updateTokensIfNecessary(response);
}

async function updateCredentials(user, changes) {
  user = getModularInstance(user);
  const request = { idToken: await user.getIdToken(), returnSecureToken: true, ...changes };
  const response = await _logoutIfInvalidated(user, updateEmailPassword(user.auth, request));
  await user._updateTokensIfNecessary(response, true);
}

export function updateEmail(user, email) {
  return updateCredentials(user, { email });
}

export function updatePassword(user, password) {
  return updateCredentials(user, { password });
}

export function getAdditionalUserInfo({ user, _tokenResponse: response }) {
  if (!response) return user.isAnonymous ? { providerId: null, isNewUser: false, profile: null } : null;
  const method = _parseToken(response.idToken)?.firebase?.sign_in_provider;
  return {
    isNewUser: Boolean(response.isNewUser) || response.kind === "identitytoolkit#SignupNewUserResponse",
    providerId: response.providerId ?? (["anonymous", "custom"].includes(method) ? null : method ?? null),
    profile: response.rawUserInfo ? JSON.parse(response.rawUserInfo) : {},
  };
}

export function providerDataAsNames(providerData) {
  return new Set(providerData.map(({ providerId }) => providerId).filter(Boolean));
}

/** Second factors, SAML and apps on servers, which nothing here uses. */
export class MultiFactorInfoImpl {}
export class SAMLAuthProvider {}
export class FirebaseServerAppImpl {}
