// Proof of work, as a server under load asks for it (docs/api.md, "Challenges").
import { LatchkeyError } from "./errors.js";

/** The longest work that the client does, as a number of zero bits. */
const mostBits = 24;
/** How long the page may be blocked at a time, in milliseconds. */
const slice = 10;

/**
 * Finds the smallest number whose digest with the challenge begins with enough zero bits.
 *
 * @param {{ algorithm: string, challenge: string, difficulty: number }} challenge
 * @param {AbortSignal} [signal] ends the search
 * @returns {Promise<string>} the value of the header `Challenge-Solution`
 */
export async function solve({ algorithm, challenge, difficulty }, signal) {
  if (algorithm !== "SHA-256" || !(difficulty <= mostBits)) {
    throw new LatchkeyError("challenge-required", "The server asks for too much work.", { status: 429 });
  }
  const find = createSearch(`${challenge}.`, difficulty);
  for (;;) {
    signal?.throwIfAborted();
    const end = performance.now() + slice;
    while (performance.now() < end) {
      const number = find(256);
      if (number !== undefined) return `${challenge}.${number}`;
    }
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { port1.close(); resolve(undefined); };
      port2.postMessage(0);
    });
  }
}

/**
 * @param {string} prefix what stands before the number, in ASCII
 * @param {number} difficulty
 * @returns {(count: number) => number | undefined} tries the next `count` numbers
 */
function createSearch(prefix, difficulty) {
  const text = new TextEncoder().encode(prefix);
  // The blocks that no number changes are hashed once.
  const whole = text.length & ~63;
  const start = new Int32Array(initial);
  compress(start, new DataView(text.buffer), 0, whole);
  const rest = text.length - whole;
  const bytes = new Uint8Array(128);
  const view = new DataView(bytes.buffer);
  const digest = new Int32Array(8);
  let number = 0;
  return (count) => {
    for (const end = number + count; number < end; number++) {
      const digits = String(number);
      const length = rest + digits.length;
      const size = length > 55 ? 128 : 64;
      bytes.fill(0);
      bytes.set(text.subarray(whole));
      for (let i = 0; i < digits.length; i++) bytes[rest + i] = digits.charCodeAt(i);
      bytes[length] = 0x80;
      view.setUint32(size - 4, (whole + length) * 8);
      digest.set(start);
      compress(digest, view, 0, size);
      if (Math.clz32(digest[0]) >= difficulty) return number;
    }
  };
}

// SHA-256 (FIPS 180-4). The browser's own is asynchronous, and a million calls of it take minutes.
const constants = new Int32Array(64);
const initial = new Int32Array(8);
for (let candidate = 2, count = 0; count < 64; candidate++) {
  let isPrime = true;
  for (let i = 2; i * i <= candidate; i++) if (candidate % i === 0) isPrime = false;
  if (!isPrime) continue;
  const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  if (count < 8) initial[count] = fraction(Math.sqrt(candidate));
  constants[count++] = fraction(Math.cbrt(candidate));
}

const words = new Int32Array(64);
const rounds = new Int32Array(72);

/** Adds the blocks of 64 bytes from one offset up to another to a state of eight words. */
function compress(state, view, from, to) {
  const rotate = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = from; block < to; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3))
        + words[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10));
    }
    // The eight variables of the standard begin at `at`. They stay where they are while `at` moves down.
    rounds.set(state, 64);
    for (let at = 64; at > 0; at--) {
      const a = rounds[at], b = rounds[at + 1], c = rounds[at + 2], e = rounds[at + 4];
      const t = rounds[at + 7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & rounds[at + 5] ^ ~e & rounds[at + 6])
        + constants[64 - at] + words[64 - at];
      rounds[at + 3] += t;
      rounds[at - 1] = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c);
    }
    for (let i = 0; i < 8; i++) state[i] += rounds[i];
  }
}
