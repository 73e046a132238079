// HTTP: one call, its time limit, its repetitions and its errors.
import { LatchkeyError } from "./errors.js";
import { solve } from "./challenge.js";

/** The pauses before a call is repeated whose answer did not arrive, in milliseconds. */
const pauses = [500, 1500, 4000];

/** The longest pause, in milliseconds. A timer of more than 24 days ends at once. */
const longest = 300_000;

/** @param {number} milliseconds at most five minutes @param {AbortSignal} [signal] ends the pause early */
export const sleep = (milliseconds, signal) => new Promise((resolve) => {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    resolve(undefined);
  };
  const timer = setTimeout(end, Math.min(longest, milliseconds));
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
});

/** Calls back when the browser is online again. @param {() => void} listener @param {AddEventListenerOptions} [options] */
export const onOnline = (listener, options) => globalThis.addEventListener?.("online", listener, options);

/** Makes a controller that aborts with a signal. @param {AbortSignal} [signal] */
export function linkedTo(signal) {
  const own = new AbortController();
  // Aborting the controller removes the listener.
  signal?.addEventListener("abort", () => own.abort(), { signal: own.signal });
  if (signal?.aborted) own.abort();
  return own;
}

/** @param {string} message @param {unknown} [cause] */
const noAnswer = (message, cause) => new LatchkeyError("network", `${message} Check the connection.`, { cause });

/** A captive portal, for example, answers 200 with a page of its own. @param {unknown} [cause] */
export const foreignAnswer = (cause) => noAnswer("The answer is not from the server.", cause);

/** A random share of a pause, so that clients that lost one server do not return together. */
export const jitter = (milliseconds) => milliseconds * (0.5 + Math.random() / 2);

/**
 * @typedef {object} RequestOptions
 * @property {string} [body]
 * @property {string} [token] the bearer
 * @property {Record<string, string | undefined>} [headers]
 * @property {number} [timeout] the time up to the head in milliseconds; the body has the same time again
 * @property {AbortSignal} [signal]
 * @property {boolean} [repeats] whether the server does the same thing once however often the request arrives, so that
 *   it may be sent again when its answer is lost; by default true of GET
 */

/** The calls after which the server may send an e-mail or show the account page. */
const showingTimes = ["sendOobCode", "update", "signInWithEmailLink", "signInWithTicket", "signInWithIdp", "createAccountUrl"];

/** The time zone in which those e-mails and pages write times. */
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * @param {{ url: string, apiKey: string, version: string, language: () => string | undefined }} options
 */
export function createTransport({ url, apiKey, version, language }) {
  /**
   * Sends one request and returns its response once the head has arrived.
   *
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} options
   */
  async function send(method, path, { body, token, headers = {}, timeout = 15_000, signal }) {
    const own = linkedTo(signal);
    const end = () => own.abort();
    const timer = setTimeout(end, timeout);
    const fields = {
      "X-Latchkey-Client": `web/${version}`,
      "Content-Type": body === undefined ? undefined : "application/json",
      "Authorization": token && `Bearer ${token}`,
      "X-Firebase-Locale": language(),
      ...headers,
    };
    try {
      const response = await fetch(url + path, {
        method,
        body,
        headers: /** @type {[string, string][]} */ (Object.entries(fields).filter(([, value]) => value !== undefined)),
        signal: own.signal,
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        referrerPolicy: "no-referrer",
      });
      return { response, end };
    } catch (error) {
      end();
      if (signal?.aborted) throw new LatchkeyError("cancelled", "The call was cancelled.", { cause: error });
      throw noAnswer("The server cannot be reached.", error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The seconds after which the server wants the call to be repeated. */
  const retryAfterOf = (response) => Number(response.headers.get("Retry-After")) || undefined;

  /** The error of a response whose status is no success. */
  function failure(response, text) {
    const more = { status: response.status, retryAfter: retryAfterOf(response) };
    try {
      const { error } = JSON.parse(text);
      const [code, ...rest] = error.message.split(" : ");
      const name = /^[A-Z_]+$/.test(code) ? code : error.status ?? "INVALID";
      // The server's code alone is no sentence.
      const message = rest.join(" : ") || (code.endsWith("_EMAIL") ? "This is not an e-mail address." : error.message);
      return new LatchkeyError(name.toLowerCase().replaceAll("_", "-"), message, { ...more, details: error });
    } catch {
      return new LatchkeyError("unavailable", `The server answered ${response.status}.`, more);
    }
  }

  /**
   * Sends a request and reads its answer.
   *
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} options
   * @returns {Promise<{ headers: Headers, json: () => any }>}
   */
  async function exchange(method, path, { repeats = method === "GET", headers = {}, timeout = 15_000, signal, ...rest }) {
    let solved = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        const { response, end } = await send(method, path, { ...rest, headers, timeout, signal });
        const timer = setTimeout(end, timeout);
        const text = await response.text()
          .catch((cause) => { throw noAnswer("The answer was cut off.", cause); })
          .finally(() => { clearTimeout(timer); end(); });
        if (!response.ok) throw failure(response, text);
        return {
          headers: response.headers,
          json: () => {
            try {
              return JSON.parse(text);
            } catch (cause) {
              throw foreignAnswer(cause);
            }
          },
        };
      } catch (error) {
        if (error.code === "challenge-required" && error.details?.challenge && solved++ < 3) {
          headers = { ...headers, "Challenge-Solution": await solve(error.details.challenge, signal) };
          continue;
        }
        const isRepeatable = repeats && (error.code === "network" || error.status >= 500);
        if (!isRepeatable || attempt >= pauses.length || signal?.aborted) throw error;
        await sleep(jitter(Math.max(pauses[attempt], Math.min(10, error.retryAfter ?? 0) * 1000)), signal);
      }
    }
  }

  /** @param {string} path @param {object} body @param {RequestOptions} [options] */
  async function post(path, body, options) {
    const answer = await exchange("POST", `${path}?key=${encodeURIComponent(apiKey)}`, { ...options, body: JSON.stringify(body) });
    return { ...answer.json(), retryAfter: retryAfterOf(answer) };
  }

  return {
    send,
    exchange,
    failure,
    /** A call at `/v1/accounts:…`. */
    call: (/** @type {string} */ name, /** @type {object} */ body, /** @type {RequestOptions} */ options) =>
      post(`/v1/accounts:${name}`, showingTimes.includes(name) ? { timeZone: timeZone(), ...body } : body, options),
    /** Exchanges a refresh token. */
    renew: (/** @type {string} */ refresh_token) =>
      post("/v1/token", { grant_type: "refresh_token", refresh_token }, { repeats: true }),
  };
}
