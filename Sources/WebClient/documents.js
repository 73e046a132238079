// The user's own JSON documents.
import { LatchkeyError } from "./errors.js";

/**
 * @typedef {object} Snapshot
 * @property {any} data the document; `undefined` if there is none
 * @property {string | null} version
 * @property {boolean} exists
 */

/** @typedef {{ id: string, data: any, version: string }} Entry */

/** @typedef {{ ifVersion?: string | null }} Condition `null`: only if there is no such document; `"*"`: only if there is */

/**
 * One of several writes: exactly one of `set`, `update` and `delete`.
 *
 * @typedef {{ path: string } & Condition & ({ set: object, update?: undefined, delete?: undefined }
 *   | { set?: undefined, update: object, delete?: undefined } | { set?: undefined, update?: undefined, delete: true })} Write
 */

/**
 * A document of the user.
 *
 * @typedef {object} DocumentReference
 * @property {() => Promise<Snapshot>} get
 * @property {(data: object, condition?: Condition) => Promise<{ version: string | null }>} set replaces the document
 * @property {(patch: object, condition?: Condition) => Promise<{ version: string | null }>} update changes the members
 *   that the patch names; `null` removes one (RFC 7396)
 * @property {(condition?: Condition) => Promise<void>} delete
 * @property {(listener: (snapshot: Snapshot) => void, onError?: (error: LatchkeyError) => void) => () => void} subscribe
 *   calls back with the document, and again after each change on any device. Returns the function that ends the
 *   subscription
 */

/**
 * The documents of a collection.
 *
 * @typedef {object} Collection
 * @property {() => Promise<Entry[]>} list
 * @property {(listener: (entries: Entry[]) => void, onError?: (error: LatchkeyError) => void) => () => void} subscribe
 *   calls back with the documents in the order of their ids, and again after each change. Returns the function that
 *   ends the subscription
 */

const nothing = Object.freeze({ data: undefined, version: null, exists: false });

/** @param {{ session: ReturnType<import("./session.js").createSession>, stream: ReturnType<import("./stream.js").createStream> }} parts */
export function createDocuments({ session, stream }) {
  const address = (name) => {
    const parts = String(name).split("/");
    if (parts.length !== 2 || !parts.every((part) => /^(?!\.\.?$)[\w.-]{1,128}$/.test(part))) {
      throw new LatchkeyError("invalid-document-name", "A document has a name such as \"notes/today\".");
    }
    return parts;
  };

  const condition = (ifVersion) => ifVersion === undefined ? {}
    : ifVersion === null ? { "If-None-Match": "*" } : { "If-Match": ifVersion === "*" ? "*" : `"${ifVersion}"` };

  const versionOf = (answer) => answer.headers.get("ETag")?.replaceAll('"', "") ?? null;

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @param {Condition} [when]
   * @param {boolean} [repeats]
   */
  async function write(method, path, body, when = {}, repeats = when.ifVersion === undefined) {
    await session.ensureUser();
    // Before the write, whose answer may be lost.
    await session.mark();
    return session.exchange(method, `/documents${path}`, {
      body: body && JSON.stringify(body),
      headers: condition(when.ifVersion),
      // With a condition, the second of two equal requests fails.
      repeats,
    });
  }

  const read = (path) => session.exchange("GET", `/documents${path}`);

  /** Reads while there is a user, and calls back with what was read and with every later change. */
  function follow(load, apply, publish, onError) {
    let changes = 0;
    let isOver = false;
    let isLoading = false;
    async function begin() {
      changes++;
      if (isLoading) return;
      isLoading = true;
      try {
        await session.ready;
        for (let seen = -1; seen !== changes && !isOver; ) {
          seen = changes;
          const loaded = session.user ? await load() : undefined;
          // A change that came meanwhile may be older or newer than what was read, so it is read again.
          if (seen === changes && !isOver) publish(loaded);
        }
      } catch (error) {
        fail(error);
      } finally {
        isLoading = false;
      }
    }
    function fail(error) { if (!isOver) onError?.(error); }
    const end = stream.subscribe({
      fail,
      begin: () => { void begin(); },
      change: (change, number) => {
        if (isLoading) changes++;
        else if (!change.superseded) apply(change, number);
      },
    });
    return () => { isOver = true; end(); };
  }

  /**
   * @param {string} name a collection and an id, such as `notes/today`
   * @returns {DocumentReference}
   */
  function document(name) {
    const [collection, id] = address(name);
    const path = `/${collection}/${id}`;
    /** @returns {Promise<Snapshot>} */
    async function get() {
      try {
        const answer = await read(path);
        return { data: answer.json(), version: versionOf(answer), exists: true };
      } catch (error) {
        if (error.code === "document-not-found") return nothing;
        throw error;
      }
    }
    return {
      get,
      set: async (data, condition) => ({ version: versionOf(await write("PUT", path, data, condition)) }),
      update: async (patch, condition) => ({ version: versionOf(await write("PATCH", path, patch, condition)) }),
      delete: async (condition) => { await write("DELETE", path, undefined, condition); },
      subscribe(listener, onError) {
        let newest = -1;
        return follow(get, (change, number) => {
          if (change.collection !== collection || change.id !== id || number <= newest) return;
          newest = number;
          listener(change.deleted ? nothing : { data: change.document, version: change.version ?? null, exists: true });
        }, (loaded = nothing) => {
          newest = Number(loaded.version ?? -1);
          listener(loaded);
        }, onError);
      },
    };
  }

  /**
   * @param {string} name such as `notes`
   * @returns {Collection}
   */
  function collection(name) {
    address(`${name}/-`);
    /** @returns {Promise<Entry[]>} */
    async function list() {
      const entries = [];
      for (let token = ""; ; ) {
        const query = `?collection=${name}&pageSize=1000${token && `&pageToken=${encodeURIComponent(token)}`}`;
        const page = (await read(query)).json();
        for (const { id, document: data, version } of page.documents ?? []) entries.push({ id, data, version });
        token = page.nextPageToken ?? "";
        if (!token) return entries;
      }
    }
    return {
      list,
      subscribe(listener, onError) {
        /** @type {Map<string, Entry>} */
        let entries = new Map();
        const publish = () => listener([...entries.values()].sort((one, other) => one.id < other.id ? -1 : 1));
        return follow(list, (change, number) => {
          if (change.collection !== name || number <= Number(entries.get(change.id)?.version ?? -1)) return;
          if (change.deleted) entries.delete(change.id);
          else entries.set(change.id, { id: change.id, data: change.document, version: change.version ?? "" });
          publish();
        }, (loaded = []) => {
          entries = new Map(loaded.map((entry) => [entry.id, entry]));
          publish();
        }, onError);
      },
    };
  }

  /**
   * Makes several writes, all or none.
   *
   * @param {Write[]} writes
   * @returns {Promise<(string | null)[]>} the versions
   */
  async function writeAll(writes) {
    const body = writes.map(({ path, set, update: patch, delete: remove, ifVersion }) => {
      const [collection, id] = address(path);
      const when = ifVersion === undefined ? {} : ifVersion === null ? { ifNoneMatch: "*" } : { ifMatch: ifVersion };
      return { collection, id, set, patch, delete: remove, ...when };
    });
    const answer = await write("PATCH", "", { writes: body }, undefined, writes.every((one) => one.ifVersion === undefined));
    return answer.json().writes.map(({ version }) => version ?? null);
  }

  return { document, collection, write: writeAll };
}
