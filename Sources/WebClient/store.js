// What the browser keeps between visits: one record for each server, in IndexedDB.

const database = "latchkey";
const table = "servers";

/** The version of the record's form. A record of a later form is left alone, and nothing is stored beside it. */
const form = 1;

/**
 * @typedef {object} State
 * @property {number} v the version of the form
 * @property {StoredSession} [session]
 * @property {string} [key] the `Idempotency-Key` of a guest that is being created
 * @property {boolean} [off] whether the person signed out, so that no guest starts by itself
 * @property {any} [pending] the request for an e-mail that is waiting
 * @property {any} [done] what became of the last request
 * @property {string[]} [leaving] refresh tokens of sessions that the server has not ended yet
 * @property {boolean} [written] whether this guest has stored anything
 */

/**
 * @typedef {object} StoredSession
 * @property {string} refresh the refresh token
 * @property {string} id the ID token
 * @property {number} at when the ID token arrived, by this device's clock
 * @property {number} lives the lifetime of the ID token, in milliseconds
 * @property {any} user the user as last seen
 */

const areTexts = (object, ...names) => names.every((name) => typeof object[name] === "string");

/** Whether a member of the record has its form. */
const isSound = {
  session: (session) => areTexts(session, "refresh", "id") && areTexts(session.user, "uid") && Array.isArray(session.user.providers),
  key: (key) => areTexts([key], 0),
  pending: (pending) => areTexts(pending, "origin", "id", "ticket", "email") && Array.isArray(pending.ids),
  leaving: Array.isArray,
};

/** A stored record without the members that another script of the page has damaged. */
function sound(record) {
  if (record?.v !== form) return { v: form };
  for (const name in isSound) {
    try {
      if (record[name] === undefined || isSound[name](record[name])) continue;
    } catch {}
    delete record[name];
  }
  return record;
}

/**
 * Opens the record of a server.
 *
 * Where IndexedDB cannot be used, the record lasts as long as the page.
 *
 * @param {string} name the server's URL
 * @param {boolean} isBrowser
 */
export function createStore(name, isBrowser) {
  let memory = /** @type {State} */ ({ v: form });
  /** @type {"indexeddb" | "memory"} */
  let kind = isBrowser ? "indexeddb" : "memory";
  /** @type {Promise<IDBDatabase> | undefined} */
  let opened;

  const open = () => opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(database);
    request.onupgradeneeded = () => { request.result.createObjectStore(table); };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      const forget = () => { opened = undefined; };
      db.onclose = forget;
      db.onversionchange = () => { db.close(); forget(); };
      resolve(db);
    };
  });

  /** Runs one transaction of IndexedDB. */
  async function transact(change, isRepaired = false) {
    try {
      const db = await open();
      return await new Promise((resolve, reject) => {
        const transaction = db.transaction(table, change ? "readwrite" : "readonly", { durability: "strict" });
        const records = transaction.objectStore(table);
        const request = records.get(name);
        let result;
        request.onsuccess = () => {
          // A later version of this client wrote it.
          if (request.result?.v > form) return transaction.abort();
          result = sound(request.result);
          if (change) records.put(result = change(result), name);
        };
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(transaction.error);
      });
    } catch (error) {
      const isDamaged = ["NotFoundError", "InvalidStateError", "DataError", "UnknownError"].includes(error?.name);
      if (isRepaired || !isDamaged) throw error;
      // The browser closed the connection, or the database lacks its table. A database without the table has nothing
      // to lose.
      const db = await opened?.catch(() => undefined);
      opened = undefined;
      const isEmpty = db && !db.objectStoreNames.contains(table);
      db?.close();
      if (isEmpty) await new Promise((done) => {
        const request = indexedDB.deleteDatabase(database);
        request.onsuccess = request.onerror = request.onblocked = done;
      });
      return transact(change, true);
    }
  }

  /** @param {(state: State) => State} [change] @returns {Promise<State>} */
  async function access(change) {
    if (kind === "indexeddb") {
      try { return memory = await transact(change); } catch { kind = "memory"; }
    }
    return memory = change ? change(memory) : memory;
  }

  return {
    get kind() { return kind; },
    read: () => access(),
    /**
     * Changes the record in one transaction, which other tabs see as a whole.
     *
     * @param {(state: State) => Partial<State> | false | undefined} change what becomes of some of its members
     */
    update: (change) => access((old) => ({ ...old, ...change(old) })),
  };
}
