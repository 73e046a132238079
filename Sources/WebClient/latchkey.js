// The client of a Latchkey server for web pages: guests, sign-in by e-mail, documents that follow each other live.
import { LatchkeyError } from "./errors.js";
import { createTransport } from "./transport.js";
import { createStore } from "./store.js";
import { createTabs } from "./tabs.js";
import { createSession, ifMeant } from "./session.js";
import { createRequests } from "./requests.js";
import { createStream } from "./stream.js";
import { createDocuments } from "./documents.js";

export { LatchkeyError };

/** The version of this client. */
export const version = VERSION;

/**
 * @typedef {object} Options
 * @property {string} url the server, such as `https://auth.example.com`
 * @property {"auto" | "onWrite" | "off"} [guests] when a guest is made: as soon as the page is loaded (`auto`, the
 *   default), with the first write, or only by `start()`
 * @property {string} [apiKey] the API key, if the server lists the ones that it accepts
 * @property {string} [language] the language of e-mails and pages, such as `de`; by default the page's, then the
 *   browser's
 * @property {string[]} [apiOrigins] other origins than the page's own to which `fetch` sends the ID token
 */

/** @typedef {import("./session.js").User} User */
/** @typedef {import("./session.js").AuthEvent} AuthEvent */
/** @typedef {import("./requests.js").Outcome} Outcome */
/** @typedef {import("./requests.js").PendingRequest} PendingRequest */
/** @typedef {import("./requests.js").OnConflict} OnConflict */
/** @typedef {import("./requests.js").HandledLink} HandledLink */
/** @typedef {import("./requests.js").Conflict} Conflict */
/** @typedef {import("./requests.js").MergeReport} MergeReport */
/** @typedef {import("./documents.js").DocumentReference} DocumentReference */
/** @typedef {import("./documents.js").Collection} Collection */
/** @typedef {import("./documents.js").Snapshot} Snapshot */
/** @typedef {import("./documents.js").Entry} Entry */
/** @typedef {import("./documents.js").Write} Write */
/** @typedef {ReturnType<typeof create>} Latchkey */

// Two copies of this module on a page (a hot reload, two bundles) share their instances.
const registry = Symbol.for("latchkey");

/**
 * Makes the client of a server. The same URL gives the same instance.
 *
 * On a machine without a browser it has no user and stores nothing.
 *
 * @param {Options} options
 * @returns {Latchkey}
 */
export function createLatchkey(options) {
  const { origin, pathname } = new URL(options.url);
  const url = origin + pathname.replace(/\/$/, "");
  if (typeof document === "undefined") return create(url, { ...options, guests: "off" }, false);
  const instances = /** @type {Map<string, Latchkey>} */ (globalThis[registry] ??= new Map());
  const instance = instances.get(url) ?? create(url, options, true);
  instances.set(url, instance);
  return instance;
}

/** @param {string} url @param {Options} options @param {boolean} isBrowser */
function create(url, { guests = "auto", apiKey = "web", language, apiOrigins = [] }, isBrowser) {
  const tabs = createTabs(url);
  const store = createStore(url, isBrowser);
  const transport = createTransport({
    url,
    apiKey,
    version,
    language: () => language ?? (isBrowser ? document.documentElement.lang || navigator.language : undefined),
  });
  const session = createSession({ transport, store, tabs, guests });
  const requests = createRequests({ transport, tabs, session });
  const stream = createStream({ transport, tabs, session });
  const documents = createDocuments({ session, stream });

  if (isBrowser) {
    // A page that comes back from the browser's cache or from a freeze has missed what happened meanwhile.
    addEventListener("pageshow", ({ persisted }) => { if (persisted) stream.catchUp(); });
    for (const part of [stream, requests]) {
      document.addEventListener("resume", part.catchUp);
      document.addEventListener("freeze", part.rest);
    }
  }

  /** Changes the user on the server, and shows the result. */
  async function change(members) {
    await session.ensureUser();
    await session.mark();
    await session.callAs("update", members);
    return session.reload();
  }

  /** An ID token for the app, which may store something with it. */
  async function token() {
    await session.ready;
    if (session.user) await session.mark();
    return session.token();
  }

  const named = (name) => encodeURIComponent(name);

  return Object.freeze({
    /** The present user: `undefined` while loading, `null` if no user is signed in. @returns {User | null | undefined} */
    get user() { return session.user; },
    /** Resolves once the stored user is known. */
    ready: session.ready,
    /** Where the browser keeps the session: `memory` is gone with the page. */
    get storage() { return store.kind; },

    /**
     * Calls back at once with the present user, and after every change of the user, in whichever tab it happens.
     *
     * @param {(change: { user: User | null | undefined, event?: AuthEvent }) => void} listener
     * @returns {() => void} ends the subscription
     */
    onChange: session.onChange,

    /** Makes a guest, unless a user is signed in. @returns {Promise<User>} */
    start: async () => {
      await session.ready;
      await session.start();
      return /** @type {User} */ (session.user);
    },

    /**
     * Sends an e-mail whose link keeps what the guest has under an address, or signs in to the address's account.
     *
     * @param {string} email
     * @param {{ continueUrl?: string | null, onConflict?: OnConflict }} [options] `continueUrl`: the page that the link
     *   opens, by default this one; `null` for the server's own page. `onConflict`: what happens to the guest's data if
     *   the address has an account: `merge` (the default) moves it there, `ask` leaves the decision to the app
     *   (`Outcome.conflict`), `error` refuses
     * @returns {Promise<PendingRequest>}
     */
    keep: requests.keep,
    /** The request that is waiting, also after a reload. @returns {PendingRequest | null} */
    get pending() { return requests.pending; },
    /**
     * Handles the e-mail link that opened this page.
     *
     * @returns {Promise<HandledLink | null>} `null` if the page was not opened by a link
     */
    handleLink: requests.handleLink,

    /**
     * Signs in or links with the ID token of an identity provider.
     *
     * @param {{ providerId: string, idToken: string, nonce?: string, onConflict?: OnConflict }} credential
     * @returns {Promise<Outcome>}
     */
    signInWithProvider: async ({ providerId, idToken, nonce, onConflict = "merge" }) => {
      await session.ready;
      const postBody = new URLSearchParams({ providerId, id_token: idToken, ...(nonce && { nonce }) }).toString();
      return requests.enter("signInWithIdp", { requestUri: location.origin, postBody }, { onConflict, presents: true });
    },
    /**
     * Signs in with a token of your own back end. A guest is deleted by it, so that one with data needs `deleteGuest`.
     *
     * @param {string} token
     * @param {{ deleteGuest?: boolean }} [options]
     * @returns {Promise<Outcome>}
     */
    signInWithCustomToken: async (token, options) => {
      await session.ready;
      if (!options?.deleteGuest) session.guard(ifMeant);
      return requests.enter("signInWithCustomToken", { token }, { drops: true });
    },

    /**
     * Ends the session.
     *
     * @param {{ deleteGuest?: boolean, everywhere?: boolean }} [options] A guest is deleted by it, so that
     *   `deleteGuest` must be set. `everywhere` ends all sessions of the user.
     */
    signOut: session.signOut,

    /** An ID token that is valid for at least a minute. @returns {Promise<string>} */
    token,
    /**
     * `fetch`, with the ID token for the page's own origin and `apiOrigins`. With a token it follows no redirect unless
     * `init.redirect` says so: old browsers send the token along.
     *
     * @param {RequestInfo | URL} input
     * @param {RequestInit} [init]
     */
    fetch: async (input, init) => {
      const { url } = new Request(input, init);
      if (![location.origin, ...apiOrigins].includes(new URL(url).origin)) return fetch(input, init);
      await session.ready;
      if (!session.user) return fetch(input, init);
      const request = new Request(input, { redirect: "error", ...init });
      request.headers.set("Authorization", `Bearer ${await token()}`);
      return fetch(request);
    },

    /** Reads the user from the server. @returns {Promise<User | null | undefined>} */
    reload: session.reload,
    /**
     * Changes name or picture; `null` removes one.
     *
     * @param {{ displayName?: string | null, photoURL?: string | null }} profile
     */
    update: ({ displayName, photoURL }) => change({
      displayName: displayName ?? undefined,
      photoUrl: photoURL ?? undefined,
      deleteAttribute: [displayName === null && "DISPLAY_NAME", photoURL === null && "PHOTO_URL"].filter(Boolean),
    }),
    /**
     * Removes a sign-in method.
     *
     * @param {string} providerId
     */
    unlink: (providerId) => change({ deleteProvider: [providerId] }),
    /**
     * Sends an e-mail whose link changes the address.
     *
     * @param {string} newEmail
     * @param {{ continueUrl?: string }} [options]
     */
    changeEmail: async (newEmail, options) => {
      await session.callAs("sendOobCode", { requestType: "VERIFY_AND_CHANGE_EMAIL", newEmail, continueUrl: options?.continueUrl });
    },
    /** Deletes the user with all data. */
    delete: async () => {
      await session.callAs("delete");
      await session.forget();
    },

    /**
     * Claims a username, or releases the present one with `null`.
     *
     * @param {string | null} username
     */
    setUsername: async (username) => {
      await session.ensureUser();
      await session.mark();
      await session.exchange("POST", "/accounts:setUsername", { body: JSON.stringify({ username }) });
      return session.reload();
    },
    /**
     * Whose a username is, and whether it is free.
     *
     * @param {string} username
     * @returns {Promise<{ username: string, available: boolean, uid: string | null }>}
     */
    findUsername: async (username) => {
      const { localId, ...found } = (await session.exchange("GET", `/usernames/${named(username)}`)).json();
      return { ...found, uid: localId ?? null };
    },

    /**
     * A URL of the server's account page for the user. It opens the page once, within a minute.
     *
     * @returns {Promise<string>}
     */
    accountURL: async () => (await session.callAs("createAccountUrl")).url,

    sessions: Object.freeze({
      /** @returns {Promise<{ id: string, device?: string, signInProvider?: string, createdAt: string, lastUsedAt: string, current: boolean }[]>} */
      list: async () => (await session.exchange("GET", "/sessions")).json().sessions,
      /**
       * Ends a session of the user on another device.
       *
       * @param {string} id
       */
      end: async (id) => {
        await session.exchange("DELETE", `/sessions/${named(id)}`, { repeats: true });
      },
    }),

    /**
     * A document of the user.
     *
     * @param {string} name a collection and an id, such as `notes/today`
     * @returns {DocumentReference}
     */
    document: documents.document,
    /**
     * The documents of a collection.
     *
     * @param {string} name such as `notes`
     * @returns {Collection}
     */
    collection: documents.collection,
    /**
     * Makes several writes, all or none.
     *
     * @param {Write[]} writes
     * @returns {Promise<(string | null)[]>} the versions
     */
    write: documents.write,
  });
}
