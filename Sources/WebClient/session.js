// The user and the tokens: who is signed in, in all tabs, and the calls that change it.
import { LatchkeyError } from "./errors.js";
import { foreignAnswer, jitter, onOnline, sleep } from "./transport.js";

/**
 * @typedef {object} User
 * @property {string} uid
 * @property {string | null} email
 * @property {boolean} emailVerified
 * @property {boolean} isAnonymous whether the user is a guest
 * @property {string | null} displayName
 * @property {string | null} photoURL
 * @property {string | null} username
 * @property {readonly string[]} providers the ids of the sign-in methods; `password` is the e-mail link
 */

/**
 * @typedef {"loaded" | "guest" | "signedIn" | "linked" | "merged" | "updated" | "signedOut" | "ended"} AuthEvent
 */

/** The refusals of `/v1/token` after which the session is over. Everything else says nothing about it. */
const final = ["token-expired", "invalid-refresh-token", "user-not-found", "user-disabled"];

/** How long before its end an ID token is renewed, in milliseconds. */
const margin = 60_000;

const noUser = () => new LatchkeyError("no-user", "No user is signed in.");

/** How an app says that a guest may be deleted. */
export const ifMeant = "Pass { deleteGuest: true } if that is meant.";

/** What becomes of the record when the session ends. */
const signedOut = { session: undefined, off: true, written: undefined };

/** The claims of an ID token. The token came from the server itself, so its signature is not checked. */
function claimsOf(idToken) {
  const payload = atob(idToken.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(payload, (c) => c.charCodeAt(0))));
}

/**
 * The user of an ID token.
 *
 * @param {string} idToken
 * @param {any} [found] the user as looked up; without it the user is described as far as the token tells
 * @returns {User}
 */
function userOf(idToken, found) {
  const claims = claimsOf(idToken);
  const { email, emailVerified, displayName, photoUrl, username, providerUserInfo } = found
    ?? { email: claims.email, emailVerified: claims.email_verified, displayName: claims.name, photoUrl: claims.picture };
  return {
    uid: claims.sub,
    email: email ?? null,
    emailVerified: emailVerified ?? false,
    isAnonymous: claims.firebase?.sign_in_provider === "anonymous",
    displayName: displayName ?? null,
    photoURL: photoUrl ?? null,
    username: username ?? null,
    providers: (providerUserInfo ?? []).map(({ providerId }) => providerId),
  };
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param {object} parts
 * @param {ReturnType<import("./transport.js").createTransport>} parts.transport
 * @param {ReturnType<import("./store.js").createStore>} parts.store
 * @param {ReturnType<import("./tabs.js").createTabs>} parts.tabs
 * @param {"auto" | "onWrite" | "off"} parts.guests
 */
export function createSession({ transport, store, tabs, guests }) {
  /** The record as this tab has last seen it. @type {import("./store.js").State} */
  let state = { v: 1 };
  /** @type {User | null | undefined} */
  let user;
  /** @type {Set<(change: { user: User | null | undefined, event?: AuthEvent }) => void>} */
  const listeners = new Set();
  /** Parts of the client that follow the record. @type {Set<(state: import("./store.js").State) => void>} */
  const watchers = new Set();
  /** Asks another part of the client for the session that may have replaced one that is over. */
  let rescue = async () => false;

  const call = (listener, change) => {
    try { listener(change); } catch (error) { queueMicrotask(() => { throw error; }); }
  };

  /** Makes a record that was read or written the one that this tab shows. */
  function publish(next, /** @type {AuthEvent | undefined} */ event) {
    state = next;
    const found = state.session?.user ?? null;
    const hasChanged = user === undefined || !isSame(user, found);
    if (hasChanged) user = found && Object.freeze({ ...found, providers: Object.freeze([...found.providers]) });
    if (event || hasChanged) for (const listener of [...listeners]) call(listener, { user, event: event ?? "updated" });
    watchers.forEach((watcher) => watcher(state));
  }

  /** Changes members of the record, here and in the other tabs. */
  async function commit(change, /** @type {AuthEvent | undefined} */ event) {
    publish(await store.update(change), event);
    tabs.post({ type: "state", event });
  }

  let order = Promise.resolve();
  tabs.listen((message) => {
    if (message.type !== "state") return;
    order = order.then(async () => {
      const next = await store.read();
      if (user !== undefined) publish(next, message.event);
    });
  });

  /** Runs work that may change the session while no other tab does. */
  const exclusively = (work) => tabs.lock(async () => {
    state = await store.read();
    return work();
  });

  // MARK: Tokens

  function isFresh(session) {
    const age = Date.now() - session.at;
    return age >= 0 && age < session.lives - margin;
  }

  /** What an answer with tokens becomes in the record. Another server's answer must not take the place of good tokens. */
  function tokens(refresh, id, expiresIn) {
    try {
      const { uid } = userOf(id);
      if (uid && refresh.length && expiresIn > 0) return { refresh, id, at: Date.now(), lives: expiresIn * 1000 };
    } catch {}
    throw foreignAnswer();
  }

  /** The stored ID token, if it is good. @param {string} [stale] an ID token that the server has refused */
  function storedToken(stale) {
    const { session } = state;
    if (!session) throw noUser();
    if (session.id !== stale && isFresh(session)) return session.id;
  }

  /** Within `exclusively`. @param {string} [stale] @returns {Promise<string>} */
  async function freshToken(stale) {
    const stored = storedToken(stale);
    if (stored) return stored;
    const session = /** @type {import("./store.js").StoredSession} */ (state.session);
    let answer;
    try {
      answer = await transport.renew(session.refresh);
    } catch (error) {
      if (error.status !== 400 || !final.includes(error.code)) throw error;
      if (await rescue()) return freshToken();
      // Without Web Locks another tab may have been faster.
      state = await store.read();
      if (state.session?.refresh !== session.refresh) return freshToken();
      await commit(() => signedOut, "ended");
      throw error;
    }
    const { refresh_token, id_token, expires_in } = answer;
    await commit((old) => old.session?.refresh === session.refresh
      && { session: { ...old.session, ...tokens(refresh_token, id_token, expires_in) } });
    return id_token;
  }

  /** @type {Promise<string> | undefined} */
  let refreshing;

  /** @param {string} [stale] @returns {Promise<string>} */
  async function token(stale) {
    await ready;
    return storedToken(stale) ?? (refreshing ??= exclusively(() => freshToken(stale)).finally(() => { refreshing = undefined; }));
  }

  /** Runs a call with an ID token, and once more with a new one if the server refuses the first. */
  async function authorized(work) {
    const id = await token();
    try {
      return await work(id);
    } catch (error) {
      if (!["token-expired", "invalid-id-token", "user-not-found"].includes(error.code)) throw error;
      return work(await token(id));
    }
  }

  /** A request of the user. @param {string} method @param {string} path @param {import("./transport.js").RequestOptions} [options] */
  const exchange = (method, path, options) => authorized((token) => transport.exchange(method, `/v1${path}`, { ...options, token }));

  /** A call of the user at `/v1/accounts:…`. @param {string} name @param {object} [body] */
  const callAs = (name, body) => authorized((idToken) => transport.call(name, { idToken, ...body }));

  // MARK: Signing in

  /** @param {string} idToken @param {import("./transport.js").RequestOptions} options */
  const look = async (idToken, options) => userOf(idToken, (await transport.call("lookup", { idToken }, options)).users[0]);

  /**
   * Makes an answer with tokens the session. Within `exclusively`.
   *
   * @param {any} answer
   * @param {AuthEvent} event
   * @param {(state: import("./store.js").State) => object} [change] what else changes with it
   */
  async function adopt({ refreshToken, idToken, expiresIn }, event, change) {
    const session = { ...tokens(refreshToken, idToken, expiresIn), user: userOf(idToken) };
    const { session: before } = state;
    const isStranger = before && before.user.uid !== session.user.uid;
    // Stored before anything else, because the page may end at any moment.
    state = await store.update((old) => ({
      // A request belongs to the user who made it: its link would give its address to another user.
      pending: old.pending?.uid === session.user.uid ? old.pending : undefined,
      ...change?.(old),
      session,
      key: undefined,
      off: undefined,
      written: !isStranger && old.written,
    }));
    if (!session.user.isAnonymous) session.user = await look(idToken, { timeout: 5000 }).catch(() => session.user);
    await commit((old) => old.session?.refresh === refreshToken && { session }, event);
  }

  /** @type {Promise<void> | undefined} */
  let starting;

  /** Makes a guest, unless there is a user. */
  const start = () => starting ??= exclusively(async () => {
    for (let attempt = 0; !state.session; attempt++) {
      const fresh = crypto.getRandomValues(new Uint32Array(5)).join("-");
      state = await store.update((old) => ({ key: old.key ?? fresh }));
      try {
        const headers = { "Idempotency-Key": state.key };
        const answer = await transport.call("signUp", { returnSecureToken: true }, { headers, repeats: true });
        await adopt(answer, "guest");
      } catch (error) {
        // The guest of this key was merged or deleted on another device.
        if (error.code !== "idempotency-key-used" || attempt) throw error;
        state = await store.update(() => ({ key: undefined }));
      }
    }
    publish(state);
  }).finally(() => { starting = undefined; });

  /** The user for a call that writes: makes a guest if guests are made at all. */
  async function ensureUser() {
    await ready;
    if (!state.session && guests !== "off") await start();
    if (!state.session) throw noUser();
  }

  /** Notes that the user may have data, here or at the app's back end, and asks the browser to keep it. */
  async function mark() {
    if (state.written) return;
    await commit(() => ({ written: true }));
    globalThis.navigator?.storage?.persist?.().catch(() => {});
  }

  /** Whether an ID token is one of the present session. */
  const isPresent = (idToken) => state.session && claimsOf(state.session.id).sid === claimsOf(idToken).sid;

  /** Refuses to leave behind a guest who may have data. @param {string} hint how the app says that it is meant */
  function guard(hint) {
    if (!state.session?.user.isAnonymous || !state.written) return;
    throw new LatchkeyError("guest-would-be-lost", `The guest of this browser has data. ${hint}`);
  }

  // MARK: Signing out

  /** The record's list of sessions to end, with one more. */
  const leaving = (/** @type {import("./store.js").State} */ old, refreshToken) => ({ leaving: [...old.leaving ?? [], refreshToken] });

  /** Ends the sessions that the person has left, on the server. */
  async function leave() {
    for (const refreshToken of state.leaving ?? []) {
      try {
        await transport.call("signOut", { refreshToken }, { repeats: true });
      } catch (error) {
        if (error.isTemporary) return;
      }
      await commit(({ leaving }) => ({ leaving: leaving?.filter((other) => other !== refreshToken) }));
    }
  }

  const leaveQuietly = () => { leave().catch(() => {}); };

  /** @param {{ deleteGuest?: boolean, everywhere?: boolean }} options */
  async function signOut({ deleteGuest = false, everywhere = false } = {}) {
    await ready;
    const refuseGuest = () => {
      if (deleteGuest || !state.session?.user.isAnonymous) return;
      throw new LatchkeyError("guest-would-be-lost", `A guest who signs out is deleted. ${ifMeant}`);
    };
    refuseGuest();
    if (everywhere && user) await callAs("update", { validSince: String(Math.floor(Date.now() / 1000)) });
    await exclusively(async () => {
      // A guest may have been made meanwhile.
      refuseGuest();
      const { session } = state;
      if (session) await forget((old) => leaving(old, session.refresh));
    });
    await leave();
  }

  /** Signs out here. @param {(state: import("./store.js").State) => object} [change] what else changes */
  const forget = (change) => commit((old) => ({ ...signedOut, pending: undefined, ...change?.(old) }), "signedOut");

  /** Looks the user up. @returns {Promise<User | null | undefined>} */
  async function reload() {
    for (let used, isCurrent = false; !isCurrent; ) {
      const found = await authorized((idToken) => look(used = idToken, { repeats: true }));
      await exclusively(async () => {
        const { session } = state;
        // The guest may have been linked since: the answer is about the guest, under the same UID.
        isCurrent = !session || session.id === used;
        if (!session || !isCurrent || isSame(session.user, found)) return;
        await commit(() => ({ session: { ...session, user: found } }), "updated");
      });
    }
    return user;
  }

  /** Looks the user up when it may have changed, whether or not that succeeds. */
  const lookAgain = () => { reload().catch(() => {}); };

  // MARK: Beginning

  async function load() {
    const next = await store.read();
    const isGuestWanted = () => guests === "auto" && !state.session && !state.off;
    state = next;
    // A page that is rendered before the person asks for it may never be shown.
    const document = /** @type {any} */ (globalThis.document);
    if (isGuestWanted() && document?.prerendering) {
      await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve, { once: true }));
      state = await store.read();
    }
    const hadSession = Boolean(state.session);
    if (isGuestWanted()) void keepStarting(isGuestWanted);
    if (isGuestWanted()) await Promise.race([firstAttempt, sleep(8000)]);
    if (user === undefined) publish(await store.read(), "loaded");
    if (hadSession) lookAgain();
    leaveQuietly();
    onOnline(leaveQuietly);
  }

  /** @type {() => void} */
  let attempted;
  const firstAttempt = new Promise((resolve) => { attempted = () => resolve(undefined); });

  /** Tries to make the first guest until that succeeds, however long the server is away. */
  async function keepStarting(isWanted) {
    for (let pause = 2000; isWanted(); pause = Math.min(60_000, pause * 2)) {
      try { await start(); } catch (error) { if (!error.isTemporary) pause = 60_000; }
      attempted();
      if (!isWanted()) return;
      const online = new AbortController();
      onOnline(() => online.abort(), { once: true });
      await sleep(jitter(pause), online.signal);
    }
  }

  const ready = load();
  ready.catch(() => {});

  return {
    ready,
    get user() { return user; },
    get record() { return state; },
    /** @param {typeof rescue} work */
    rescueBy: (work) => { rescue = work; },
    /** @param {(change: { user: User | null | undefined, event?: AuthEvent }) => void} listener */
    onChange: (listener) => {
      listeners.add(listener);
      call(listener, { user, event: user === undefined ? undefined : "loaded" });
      return () => { listeners.delete(listener); };
    },
    watch: (watcher) => { watchers.add(watcher); },
    commit,
    exclusively,
    freshToken,
    token,
    authorized,
    exchange,
    callAs,
    adopt,
    forget,
    mark,
    isPresent,
    guard,
    leaving,
    leaveQuietly,
    start,
    ensureUser,
    signOut,
    reload,
    lookAgain,
  };
}
