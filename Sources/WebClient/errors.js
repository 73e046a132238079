/**
 * What a person or an app can do about an error.
 *
 * - `retry`: the same call may succeed in a moment
 * - `wait`: repeat the call after `retryAfter` seconds
 * - `sign-in`: no user is signed in, so call `keep()` or `start()`
 * - `sign-in-again`: the last sign-in was too long ago for this change
 * - `new-email`: the link or the code is over, so ask for a new e-mail
 * - `check-email`: the address is not the right one, and the link stays good
 * - `check-code`: the code was mistyped
 * - `merge`: the address has an account, so ask whether to move the guest's data there
 * - `confirm`: the call would delete data, so ask and repeat it with the option that the message names
 * - `configure`: the operator must change a setting
 *
 * @typedef {"retry" | "wait" | "sign-in" | "sign-in-again" | "new-email" | "check-email" | "check-code" | "merge"
 *   | "confirm" | "configure"} Recovery
 */

/** The codes of errors, by what helps. */
const recoveries = /** @type {[Recovery, string][]} */ (Object.entries({
  "retry": "network unavailable merge-in-progress",
  "sign-in": "no-user token-expired invalid-id-token invalid-refresh-token user-not-found",
  "sign-in-again": "credential-too-old-login-again",
  "new-email": "used-elsewhere invalid-oob-code expired-oob-code ticket-expired ticket-ended invalid-ticket",
  "check-email": "mail-failed invalid-email",
  "check-code": "invalid-sign-in-code",
  "merge": "email-exists federated-user-id-already-linked",
  "confirm": "guest-would-be-lost",
  "configure": "origin-not-allowed unauthorized-domain operation-not-allowed",
}));

/** The error of every call that fails. */
export class LatchkeyError extends Error {
  /**
   * @param {string} code a stable word such as `email-exists`: the server's code in lower case with hyphens, or one of
   *   the client's own (`network`, `no-user`, `guest-would-be-lost`, `cancelled`, `replaced`)
   * @param {string} message a sentence for people
   * @param {{ status?: number, retryAfter?: number, details?: any, cause?: unknown }} more
   */
  constructor(code, message, more = {}) {
    const { status = 0, retryAfter, details, cause } = more;
    super(message, { cause });
    this.name = "LatchkeyError";
    // Another browser has the session of a ticket that was spent.
    this.code = code === "ticket-spent" ? "used-elsewhere" : code;
    /** The HTTP status; 0 if no answer arrived. */
    this.status = status;
    /** Seconds to wait before the call is repeated, if the server said so. @type {number | undefined} */
    this.retryAfter = retryAfter;
    /** What can be done about it. @type {Recovery | undefined} */
    this.recovery = status === 429 ? "wait"
      : recoveries.find(([, codes]) => codes.split(" ").includes(this.code))?.[0] ?? (status >= 500 ? "retry" : undefined);
    /** The `error` object of the server's answer. @type {any} */
    this.details = details;
  }

  /** Whether the error says nothing about the user or the request, so that the same call may succeed later. */
  get isTemporary() {
    return this.status === 0 ? this.code === "network" : this.status === 429 || this.status >= 500;
  }
}
