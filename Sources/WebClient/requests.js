// Sign-in by e-mail: the request, what it waits for, and the link.
import { LatchkeyError } from "./errors.js";
import { jitter, sleep } from "./transport.js";

/** How long the server holds a call that waits for an approval, in seconds. */
const wait = 25;

/** The parameters that an e-mail link adds to the page's URL. */
const parameters = ["mode", "lang", "oobCode", "apiKey", "latchkeyRequestId"];

/**
 * What became of a sign-in.
 *
 * @typedef {object} Outcome
 * @property {import("./session.js").User} user
 * @property {"signedIn" | "linked" | "merged" | "updated"} event
 * @property {boolean} merged whether a guest's data moved into the account
 * @property {MergeReport} [report] what moved, if `merged`
 * @property {boolean} isNewUser
 * @property {Conflict} [conflict] with `onConflict: "ask"`, if the address has an account. `user` is still the guest
 */

/**
 * A decision that the app leaves to the person: whether the guest's data moves into the account.
 *
 * @typedef {object} Conflict
 * @property {MergeReport} report what the merge would do
 * @property {() => Promise<Outcome>} merge
 */

/**
 * What a merge moved, or would move (docs/api.md, "What moves").
 *
 * @typedef {object} MergeReport
 * @property {string} [mergeId]
 * @property {string} anonymousLocalId the UID of the guest
 * @property {string} localId the UID of the account
 * @property {boolean} dryRun
 * @property {string} [mergedAt]
 * @property {{
 *   moved: number,
 *   collections: { collection: string, policy: string, moved: number, conflicts: number }[],
 *   conflicts: { collection: string, id: string, outcome: string, newId?: string }[],
 *   conflictsOmitted?: number,
 * }} documents
 * @property {{ table: string, column: string, moved: number, dropped: number }[]} tables
 * @property {{ outcome: "none" | "moved" | "dropped", username?: string }} username
 * @property {{ moved: string[] }} profile
 */

/** @typedef {"merge" | "ask" | "error"} OnConflict */

/**
 * A request for a sign-in e-mail that is waiting to be finished.
 *
 * @typedef {object} PendingRequest
 * @property {string} email
 * @property {string} digits to type on the page that approves the sign-in
 * @property {number} expiresAt when the link and the code end at the earliest, in milliseconds since 1970
 * @property {Promise<Outcome>} done
 * @property {(text: string) => Promise<Outcome>} code finishes the sign-in with the code of the e-mail
 * @property {() => Promise<PendingRequest>} resend sends a new e-mail; `done` waits for that one
 * @property {() => Promise<void>} cancel
 */

/**
 * A link that this browser asked for, and that has signed it in.
 *
 * @typedef {object} OwnLink
 * @property {"signedIn"} state
 * @property {Outcome} outcome
 */

/**
 * A link that this browser asked for with `onConflict: "ask"`, and whose address has an account. Nothing has changed.
 *
 * @typedef {object} ConflictingLink
 * @property {"conflict"} state
 * @property {Outcome & { conflict: Conflict }} outcome
 */

/**
 * A link that another device or browser asked for. Nothing has changed.
 *
 * @typedef {{
 *   state: "elsewhere",
 *   deny: () => Promise<void>,
 *   continueHere: (options: { email: string, guest?: "merge" | "drop" }) => Promise<Outcome>,
 * } & LinkFacts} ForeignLink `deny` ends the request, because the person did not make it. `continueHere` signs this
 *   browser in instead of the device that asked
 */

/**
 * A link that was used, denied or replaced, or has expired.
 *
 * @typedef {{ state: "over", error?: LatchkeyError } & Partial<LinkFacts>} EndedLink
 */

/**
 * @typedef {object} LinkFacts
 * @property {string} email the masked address
 * @property {string} [device] the name of the device that asked
 * @property {string} [place]
 * @property {Date} requestedAt
 * @property {boolean} waiting whether that device still waits
 * @property {string} approveURL the server's page that signs the other device in
 */

/** @typedef {OwnLink | ConflictingLink | ForeignLink | EndedLink} HandledLink What became of the link: `state` says which. */

/** @param {{ transport: any, tabs: ReturnType<import("./tabs.js").createTabs>, session: ReturnType<import("./session.js").createSession> }} parts */
export function createRequests({ transport, tabs, session }) {
  /** The requests that this page has seen, by the id of their first e-mail. @type {Map<string, any>} */
  const known = new Map();
  /** The id of the request that this tab waits for, or stands in line to wait for. @type {string | undefined} */
  let waitingFor;
  /** @type {AbortController | undefined} */
  let waiting;

  // MARK: Signing in

  /**
   * Sends a sign-in, and makes its answer the session.
   *
   * @param {string} name
   * @param {any} body
   * @param {object} options
   * @param {OnConflict} [options.onConflict]
   * @param {boolean} [options.presents] whether the call presents the present user
   * @param {boolean} [options.drops] whether a guest who stays behind is deleted
   * @param {string} [options.origin] the request that this finishes
   * @returns {Promise<Outcome>}
   */
  const enter = (name, body, { onConflict = "error", presents = false, drops = false, origin }) => session.exclusively(async () => {
    // While this call waited for its turn, another tab may have finished the request, or another user signed in.
    if (origin && !waits(session.record, origin)) throw givenUp("cancelled");
    const before = session.record.session;
    const idToken = presents && before ? await session.freshToken() : undefined;
    const send = (more) => transport.call(name, { ...body, idToken, returnSecureToken: true, ...more }, { repeats: Boolean(idToken || body.ticket) });
    let answer;
    try {
      answer = await send({ onConflict: atServer(onConflict) });
    } catch (error) {
      const isConflict = ["email-exists", "federated-user-id-already-linked"].includes(error.code);
      if (!isConflict || onConflict !== "ask" || !before?.user.isAnonymous) throw error;
      // A limit counts reports, so the client asks for one only where there is a conflict.
      answer = await send({ onConflict: "report" }).catch((refusal) => {
        if (!refusal.details?.mergeReport) throw refusal;
        return refusal.details;
      });
      if (answer.mergeReport) {
        const question = { report: answer.mergeReport, name, body, presents };
        // In the record, because the app may ask the person in another tab.
        if (origin) await session.commit((old) => waits(old, origin) && { pending: { ...old.pending, question } });
        return conflicting(question, origin);
      }
    }
    if (answer.needConfirmation) {
      const message = "The address has an account with another sign-in method. Sign in there, then link.";
      throw new LatchkeyError("account-exists-with-different-credential", message, { details: answer });
    }
    return complete(answer, before, { drops, origin });
  });

  /** The outcome that leaves the decision to the app. @returns {Outcome} */
  const conflicting = ({ report, name, body, presents }, origin) => {
    const merge = () => enter(name, body, { presents, origin, onConflict: "merge" });
    return { user: /** @type {any} */ (session.user), event: "updated", merged: false, isNewUser: false, conflict: { report, merge } };
  };

  /** The server knows no question: it refuses or merges. */
  const atServer = (onConflict) => onConflict === "merge" ? "merge" : "error";

  /** Stores the session that a sign-in has answered. Within `exclusively`. */
  async function complete(answer, before, /** @type {{ drops?: boolean, origin?: string }} */ { drops = false, origin }) {
    const isSame = before?.user.uid === answer.localId;
    const event = answer.merged ? "merged" : isSame ? (before.user.isAnonymous ? "linked" : "updated") : "signedIn";
    const outcome = { event, merged: answer.merged ?? false, report: answer.mergeReport, isNewUser: answer.isNewUser ?? false };
    const isLeft = drops && before && !isSame && !answer.merged;
    await session.adopt(answer, event, (old) => ({
      ...finished(old, origin, { outcome }),
      ...(isLeft && session.leaving(old, before.refresh)),
    }));
    if (isLeft) session.leaveQuietly();
    return { user: session.user, ...outcome };
  }

  /** What the record says of a request that is over. */
  const finished = (old, origin, result) => waits(old, origin) && { pending: undefined, done: { origin, ...result } };

  /** Whether a request is the one that the record names. */
  const waits = (/** @type {import("./store.js").State} */ { pending }, origin) => pending && pending.origin === origin;

  // MARK: Requests

  const givenUp = (code) => new LatchkeyError(code, "The request was given up.");

  /** Resolves the promises of requests that are over, in whichever tab they ended, and waits for the others. */
  function settle(/** @type {import("./store.js").State} */ { pending, done }) {
    if (pending) requestOf(pending);
    for (const [origin, entry] of known) {
      if (entry.isOver) continue;
      if (pending?.origin === origin) {
        if (!pending.question) continue;
        entry.resolve(conflicting(pending.question, origin));
      } else if (done?.origin !== origin) {
        entry.reject(givenUp(pending ? "replaced" : "cancelled"));
      } else if (done.error) {
        entry.reject(new LatchkeyError(done.error.code, done.error.message, done.error));
      } else {
        entry.resolve({ user: session.user, ...done.outcome });
      }
      entry.isOver = true;
    }
    const next = pending && !pending.question ? pending.id : undefined;
    if (next === waitingFor) return;
    waiting?.abort();
    waitingFor = next;
    if (next) void waitForApproval(next);
  }

  /** @returns {PendingRequest} */
  function requestOf(pending) {
    const { origin } = pending;
    if (known.has(origin)) return known.get(origin).request;
    const entry = /** @type {any} */ ({});
    const done = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    // An app need not read `done`.
    done.catch(() => {});
    const current = () => waits(session.record, origin) ? session.record.pending : pending;
    entry.request = Object.freeze({
      get email() { return current().email; },
      get digits() { return current().digits; },
      get expiresAt() { return current().expiresAt; },
      done,
      code: (text) => redeemCode(origin, text),
      resend: async () => requestOf(await ask(current().email, { ...current(), origin })),
      cancel: () => session.commit((old) => waits(old, origin) && { pending: undefined }),
    });
    known.set(origin, entry);
    return entry.request;
  }

  /** Asks the server for an e-mail, and keeps the request. */
  async function ask(email, /** @type {{ continueUrl?: string | null, onConflict?: OnConflict, origin?: string }} */ { continueUrl, onConflict, origin }) {
    const send = (idToken) => transport.call("sendOobCode", {
      requestType: "EMAIL_SIGNIN", email, idToken, continueUrl: continueUrl ?? undefined, canHandleCodeInApp: true,
    });
    const answer = await (session.record.session ? session.authorized(send) : send(undefined));
    const { pending: old } = session.record;
    const id = answer.requestId;
    const pending = {
      origin: origin ?? id,
      id,
      // All links that were sent to the address are this browser's.
      ids: [...(old?.email === email ? old.ids : []), id],
      uid: session.record.session?.user.uid,
      ticket: answer.ticket,
      email: answer.email,
      digits: answer.confirmation,
      expiresAt: Date.now() + answer.expiresIn * 1000,
      continueUrl,
      onConflict,
    };
    requestOf(pending);
    await session.commit(() => ({ pending, done: undefined }));
    return pending;
  }

  /** @param {string} email @param {{ continueUrl?: string | null, onConflict?: OnConflict }} options */
  async function keep(email, { continueUrl = globalThis.location && pageURL().href.split("#")[0], onConflict = "merge" } = {}) {
    await session.ready;
    await session.ensureUser().catch((error) => { if (error.code !== "no-user") throw error; });
    return requestOf(await ask(email, { continueUrl, onConflict }));
  }

  /** Redeems the code of the e-mail, and again for ten seconds while the server has not recorded that it left. */
  async function redeemCode(origin, code) {
    const { pending } = session.record;
    if (!waits(session.record, origin)) return known.get(origin).request.done;
    for (const end = Date.now() + 10_000; ;) {
      try {
        return await enter("signInWithTicket", { ticket: pending.ticket, code }, { onConflict: pending.onConflict, origin });
      } catch (error) {
        if (error.code === "cancelled") return known.get(origin).request.done;
        if (error.code === "mail-pending" && Date.now() < end) {
          await sleep(1000 * (error.retryAfter ?? 1));
        } else {
          if (["used-elsewhere", "ticket-ended", "ticket-expired"].includes(error.code)) await fail(origin, error);
          throw error;
        }
      }
    }
  }

  /** Ends a request, unless another tab is finishing it at this moment. */
  const fail = (origin, error) => session.exclusively(() =>
    session.commit((old) => finished(old, origin, { error: { ...error, message: error.message } })));

  /** Waits in one of the tabs until the link is approved elsewhere. */
  function waitForApproval(id) {
    const { signal } = waiting = new AbortController();
    return tabs.lead("wait", signal, async (over) => {
      for (let pause = 1000; !over.aborted; ) {
        const { pending } = session.record;
        if (pending?.id !== id || pending.question) return;
        const began = performance.now();
        try {
          const body = { ticket: pending.ticket, wait, onConflict: atServer(pending.onConflict) };
          const answer = await transport.call("signInWithTicket", body, { timeout: (wait + 15) * 1000, signal: over });
          // A server that does not hold the call must not be asked again and again.
          if (answer.pending) await sleep(Math.max(1000 * (answer.retryAfter ?? 0), 1000 + began - performance.now()), over);
          else await session.exclusively(() => collected(answer, pending));
          pause = 1000;
        } catch (refusal) {
          if (over.aborted) return;
          const isQuestion = refusal.code === "email-exists" && pending.onConflict === "ask";
          const { ticket, origin, onConflict } = pending;
          const error = isQuestion
            ? await enter("signInWithTicket", { ticket }, { onConflict, origin }).then(() => undefined, (failure) => failure)
            : refusal;
          if (!error) continue;
          if (error.code === "cancelled") return;
          if (error.isTemporary || !error.code || error.code === "ticket-pending") {
            await sleep(Math.max(1000 * (error.retryAfter ?? 0), jitter(pause)), over);
            pause = Math.min(30_000, 2 * pause);
          } else {
            await fail(pending.origin, error);
          }
        }
      }
    });
  }

  /** Makes the session of a ticket the present one, unless its request was given up meanwhile. Within `exclusively`. */
  async function collected(answer, pending) {
    if (waits(session.record, pending.origin)) return complete(answer, session.record.session, pending);
    // The server answers the session of a finished request once more.
    if (session.isPresent(answer.idToken)) return;
    await session.commit((old) => session.leaving(old, answer.refreshToken));
    session.leaveQuietly();
  }

  /**
   * Collects the session of a request that was finished, and whose answer has not arrived here. Within `exclusively`.
   *
   * The server answers the same session again for ten minutes.
   */
  async function collect() {
    const { pending } = session.record;
    if (!pending) return false;
    const { ticket, onConflict } = pending;
    try {
      await collected(await transport.call("signInWithTicket", { ticket, onConflict: atServer(onConflict) }), pending);
      return true;
    } catch (error) {
      if (error.isTemporary) throw error;
      return false;
    }
  }

  // The session of a guest whose address was linked ends on the server before its successor arrives here.
  session.rescueBy(collect);
  session.watch(settle);

  // MARK: The link

  /** The page's URL without what a link has added to it. */
  function pageURL() {
    const url = new URL(location.href);
    for (const name of parameters) url.searchParams.delete(name);
    return url;
  }

  /** The link that opened this page, until it is handled. @type {string[] | undefined} */
  let opened;
  /** @type {Promise<any> | undefined} */
  let handling;

  /**
   * Handles the e-mail link that opened this page.
   *
   * @returns {Promise<HandledLink | null>} `null` if the page was not opened by a link
   */
  function handleLink() {
    const { searchParams } = new URL(location.href);
    const code = searchParams.get("mode") === "signIn" && searchParams.get("oobCode");
    if (code) {
      history.replaceState(history.state, "", pageURL());
      opened = [code, searchParams.get("latchkeyRequestId") ?? ""];
      handling = undefined;
    }
    if (!opened) return Promise.resolve(null);
    // After a failure the app may call again.
    return handling ??= handle(...opened).then((link) => { opened = undefined; return link; }).finally(() => { handling = undefined; });
  }

  /** @returns {Promise<HandledLink>} */
  async function handle(code, id) {
    await session.ready;
    const { pending } = session.record;
    const isOurs = pending?.ids.includes(id);
    let found;
    try {
      if (isOurs) {
        const { email, onConflict, origin } = pending;
        const outcome = await enter("signInWithEmailLink", { email, oobCode: code }, { onConflict, origin, presents: true });
        return /** @type {HandledLink} */ ({ state: outcome.conflict ? "conflict" : "signedIn", outcome });
      }
      found = await transport.call("querySignInLink", { oobCode: code }, { repeats: true });
    } catch (error) {
      if (error.isTemporary) throw error;
      // Another tab of this browser may have been faster.
      if (isOurs) await session.exclusively(collect);
      const { done } = session.record;
      if (!isOurs || done?.origin !== pending.origin || !done.outcome) return { state: "over", error };
      return { state: "signedIn", outcome: { user: /** @type {any} */ (session.user), ...done.outcome } };
    }
    return /** @type {HandledLink} */ ({
      state: ["waiting", "approved"].includes(found.state) ? "elsewhere" : "over",
      email: found.email,
      device: found.device,
      place: found.place,
      requestedAt: new Date(found.requestedAt),
      waiting: found.waiting,
      approveURL: found.approveUrl,
      deny: async () => { await transport.call("denySignInLink", { oobCode: code }, { repeats: true }); },
      continueHere: (/** @type {{ email: string, guest?: "merge" | "drop" }} */ { email, guest }) => continueHere(code, email, guest),
    });
  }

  async function continueHere(oobCode, email, guest) {
    if (!guest) session.guard("Pass { guest: \"merge\" } to move the data, or { guest: \"drop\" } to delete it.");
    const merges = guest === "merge";
    return enter("signInWithEmailLink", { email, oobCode }, { presents: merges, onConflict: merges ? "merge" : "error", drops: !merges });
  }

  return {
    keep,
    handleLink,
    enter,
    /** Leaves the waiting to another tab before the browser freezes this one. */
    rest: () => {
      waiting?.abort();
      waitingFor = undefined;
    },
    /** Waits again, after this tab was suspended. */
    catchUp: () => settle(session.record),
    /** @returns {PendingRequest | null} */
    get pending() { return session.record.pending ? requestOf(session.record.pending) : null; },
  };
}
