// Changes as they happen: one stream for all tabs, held by one of them.
import { jitter, linkedTo, onOnline, sleep } from "./transport.js";

/** After so long without a byte, the connection counts as dead. The server sends something every 15 seconds. */
const silence = 30_000;
/** How long a visible tab waits for an answer of the tab with the stream, and then until it asks again. */
const beat = 5000;

/**
 * @typedef {{ collection: string, id: string, version?: string, document?: any, deleted?: true, superseded?: true }} Change
 */

/**
 * @typedef {object} Subscriber
 * @property {() => void} begin called when changes arrive from now on, and again whenever some may be missing
 * @property {(change: Change, number: number) => void} change
 * @property {(error: any) => void} fail called when the first connection fails. It is tried again
 */

/** Splits a response into its server-sent events. */
async function* eventsOf(body, onBytes) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      /** @type {Record<string, string>} */
      const event = {};
      for (const line of block.split("\n")) {
        const [name, ...rest] = line.split(": ");
        event[name] = rest.join(": ");
      }
      if (event.data) yield event;
    }
  }
}

/** @param {{ transport: any, tabs: ReturnType<import("./tabs.js").createTabs>, session: ReturnType<import("./session.js").createSession> }} parts */
export function createStream({ transport, tabs, session }) {
  /** @type {Set<Subscriber>} */
  const subscribers = new Set();
  /** Whether changes reach this tab at the moment. */
  let isLive = false;
  /** Ends the work of this tab as the one that holds the stream. @type {AbortSignal | undefined} */
  let leading;
  /** @type {AbortController | undefined} */
  let candidacy;
  /** Ends the present connection, to begin another one at once. @type {AbortController | undefined} */
  let connection;
  /** Whether the tab with the stream has answered since it was last asked. */
  let answered = false;

  function begin() {
    isLive = true;
    for (const subscriber of [...subscribers]) subscriber.begin();
  }

  function pass(change, number) {
    for (const subscriber of [...subscribers]) subscriber.change(change, number);
  }

  tabs.listen((message) => {
    if (message.type === "ping" && leading) tabs.post({ type: "pong", isLive });
    if (leading || !candidacy) return;
    if (message.type === "pong") {
      answered = true;
      if (message.isLive && !isLive) begin();
    } else if (message.type === "begin") {
      answered = true;
      begin();
    } else if (message.type === "change") {
      pass(message.change, message.number);
    }
  });

  // MARK: The tab with the stream

  async function lead(over) {
    leading = over;
    isLive = false;
    let last = "";
    let isTold = false;
    let uid;
    for (let pause = 500; !over.aborted; ) {
      const own = connection = linkedTo(over);
      // A call of `wake` during this connection makes the next one follow at once.
      const early = linkedTo(over);
      wake = () => early.abort();
      const end = () => own.abort();
      let watchdog;
      const watch = () => { clearTimeout(watchdog); watchdog = setTimeout(end, silence); };
      try {
        let used;
        // If the server refuses the token, its session may have ended while there was no connection.
        const response = await session.authorized(async (token) => {
          used = token;
          if (uid !== session.user?.uid) { last = ""; uid = session.user?.uid; }
          const headers = { "Last-Event-ID": last || undefined };
          const { response } = await transport.send("GET", "/v1/documents:listen", { token, headers, signal: own.signal });
          watch();
          if (!response.ok) throw transport.failure(response, await response.text());
          return response;
        });
        // What was missed while there was no connection may concern the user, too.
        session.lookAgain();
        // With a number the stream goes on without an event of its own.
        if (last) { isLive = true; tabs.post({ type: "pong", isLive }); }
        for await (const { event: type, id, data } of eventsOf(response.body, watch)) {
          pause = 500;
          const content = JSON.parse(data);
          if (id) last = id;
          if (type === "ready" || type === "reset") {
            tabs.post({ type: "begin" });
            begin();
          } else if (type === "change") {
            tabs.post({ type: "change", change: content, number: Number(id) });
            pass(content, Number(id));
          } else if (type === "account") {
            session.lookAgain();
          } else if (type === "end") {
            if (content.reason !== "server.stopping") await session.token(used);
            break;
          }
        }
      } catch (error) {
        if (!isLive && !isTold && error?.recovery) {
          isTold = true;
          subscribers.forEach((subscriber) => subscriber.fail(error));
        }
        if (error?.code === "token-expired") last = "";
        if (error?.retryAfter) pause = Math.max(pause, error.retryAfter * 1000);
      } finally {
        clearTimeout(watchdog);
        end();
      }
      await sleep(jitter(pause), early.signal);
      pause = Math.min(30_000, pause * 2);
    }
    // This tab may have begun anew meanwhile.
    if (leading !== over) return;
    leading = undefined;
    isLive = false;
  }

  let wake = () => {};
  onOnline(() => wake());

  // Another user's documents are another stream.
  let present;
  session.watch(({ session: now }) => {
    if (now?.user.uid === present) return;
    const hadUser = present !== undefined;
    present = now?.user.uid;
    if (!subscribers.size || !hadUser) return wake();
    isLive = false;
    connection?.abort();
    wake();
    if (!present) begin();
  });

  // MARK: All tabs

  /** Stands for the stream, and watches the tab that has it, until nothing subscribes any more. */
  async function stand() {
    const { signal } = candidacy = new AbortController();
    const run = async () => { while (!signal.aborted) await tabs.lead("stream", signal, lead); };
    void run();
    while (!signal.aborted && tabs.hasLocks) {
      answered = false;
      if (!leading) tabs.post({ type: "ping" });
      await sleep(beat, signal);
      // A tab that the browser has frozen keeps its lock and says nothing.
      if (!leading && !answered && globalThis.document?.visibilityState !== "hidden") void tabs.lead("stream", signal, lead, true);
      await sleep(beat, signal);
    }
  }

  return {
    /** @param {Subscriber} subscriber @returns {() => void} */
    subscribe(subscriber) {
      subscribers.add(subscriber);
      if (!candidacy) void stand();
      if (isLive) subscriber.begin();
      return () => {
        subscribers.delete(subscriber);
        if (subscribers.size) return;
        candidacy?.abort();
        candidacy = undefined;
        isLive = false;
      };
    },
    /** Gives up the lead before the browser freezes this tab: it would still answer, and pass no changes on. */
    rest: () => { leading = undefined; },
    /** Reads again in all subscriptions of this tab, after it was suspended. */
    catchUp: () => { if (isLive) begin(); },
  };
}
