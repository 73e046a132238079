// What the tabs of one browser share: messages, and locks that one of them has at a time.
import { linkedTo } from "./transport.js";

/** How long a tab waits for a lock before it takes it from a tab that the browser may have frozen. */
const patience = 30_000;

/** @param {string} name the server's URL */
export function createTabs(name) {
  const hasLocks = Boolean(globalThis.navigator?.locks);
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(`latchkey ${name}`) : undefined;
  // Keeps Node from waiting for messages.
  /** @type {any} */ (channel)?.unref?.();
  /** The work of this tab, where there are no locks. */
  let queue = /** @type {Promise<any>} */ (Promise.resolve());
  /** @type {(part: string, options: LockOptions, work: () => Promise<any>) => Promise<any>} */
  const request = (part, options, work) => navigator.locks.request(`latchkey ${name} ${part}`, options, work);

  return {
    hasLocks,
    /** Sends a message to the other tabs. */
    post: (message) => channel?.postMessage(message),
    /** @param {(message: any) => void} listener */
    listen: (listener) => channel?.addEventListener("message", ({ data }) => listener(data)),

    /**
     * Runs `work` while no other tab runs such work.
     *
     * Without Web Locks (plain http off localhost) the calls of this tab wait for each other, and other tabs do not.
     *
     * @template T
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    async lock(work) {
      if (!hasLocks) {
        const result = queue.then(() => work());
        queue = result.catch(() => {});
        return result;
      }
      const impatience = new AbortController();
      const timer = setTimeout(() => impatience.abort(), patience);
      /** @type {Promise<any> | undefined} */
      let running;
      const begin = () => { clearTimeout(timer); return running = work(); };
      try {
        return await request("session", { signal: impatience.signal }, begin);
      } catch (error) {
        // Another tab has stolen the lock, and the work goes on.
        if (running) return running;
        if (!impatience.signal.aborted) throw error;
        return request("session", { steal: true }, work);
      }
    },

    /**
     * Runs `work` once no other tab runs it, until it ends, `signal` aborts, or another tab steals the part.
     *
     * @param {string} part
     * @param {AbortSignal} signal
     * @param {(isOver: AbortSignal) => Promise<void>} work
     * @param {boolean} [steal] takes the part from the tab that has it
     */
    async lead(part, signal, work, steal = false) {
      const over = linkedTo(signal);
      try {
        if (!hasLocks) return await work(over.signal);
        await request(part, steal ? { steal } : { signal }, () => work(over.signal));
      } catch (error) {
        if (error?.name !== "AbortError") throw error;
      } finally {
        over.abort();
      }
    },
  };
}
