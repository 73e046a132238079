// A program that uses all of latchkey.js as docs/web.md describes it. Only its types are checked.
import { createLatchkey, LatchkeyError, version } from "latchkey";
import type {
  AuthEvent, Collection, Conflict, DocumentReference, Entry, HandledLink, Latchkey, MergeReport, OnConflict, Options, Outcome,
  PendingRequest, Snapshot, User, Write,
} from "latchkey";

/** Fails to compile unless the types are the same; `any` is only the same as `any`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

const options: Options = { url: "https://auth.example.com", guests: "onWrite", apiKey: "web", language: "de", apiOrigins: ["https://api.example.com"] };
const auth: Latchkey = createLatchkey(options);
createLatchkey({ url: "https://auth.example.com" });
same<typeof version, string>(true);
same<typeof auth.user, User | null | undefined>(true);
same<typeof auth.storage, "indexeddb" | "memory">(true);
same<typeof auth.pending, PendingRequest | null>(true);

const name = (event: AuthEvent): string => {
  switch (event) {
    case "loaded": case "guest": case "linked": case "merged": case "signedIn": case "updated": case "signedOut": case "ended":
      return event;
  }
};

const end: () => void = auth.onChange(({ user, event }) => {
  if (user === undefined) return;
  if (event) name(event);
  if (user === null) return;
  const { uid, email, emailVerified, isAnonymous, displayName, photoURL, username, providers } = user;
  const shown: string = email ?? displayName ?? username ?? photoURL ?? uid;
  const flags: boolean[] = [emailVerified, isAnonymous];
  const first: string | undefined = providers[0];
  console.log(shown, flags, first);
});

export async function start() {
  await auth.ready;
  same<User, Awaited<ReturnType<typeof auth.start>>>(true);
  const guest: User = await auth.start();
  return guest.uid;
}

export async function keep(policy: OnConflict) {
  const request: PendingRequest = await auth.keep("ann@example.com");
  await auth.keep("ann@example.com", { continueUrl: "https://example.com/", onConflict: policy });
  await auth.keep("ann@example.com", { continueUrl: null });
  const ends: Date = new Date(request.expiresAt);
  console.log(request.email, request.digits, ends);
  const { user, event, merged, report, isNewUser, conflict }: Outcome = await request.done;
  const name: AuthEvent = event;
  const isMerged: boolean = merged || isNewUser;
  const moved: number | undefined = report?.documents.moved;
  console.log(user.uid, name, isMerged, moved, report?.tables[0]?.table, report?.documents.conflicts[0]?.newId);
  if (conflict) {
    const { report: dry }: Conflict = conflict;
    same<typeof dry, MergeReport>(true);
    console.log(`${dry.documents.moved}, ${dry.username.outcome}, ${dry.profile.moved.join()}`);
    same<Outcome, Awaited<ReturnType<typeof conflict.merge>>>(true);
  }
  const byCode: Outcome = await request.code("1234 5678");
  const again: PendingRequest = await (await request.resend()).resend();
  await auth.pending?.cancel();
  return [byCode, again];
}

export async function handle(welcome: (outcome: Outcome) => void, show: (email: string, device: string | undefined, at: Date) => void) {
  const link: HandledLink | null = await auth.handleLink();
  if (!link) return;
  switch (link.state) {
    case "signedIn": return welcome(link.outcome);
    case "conflict": {
      same<Conflict, typeof link.outcome.conflict>(true);
      return welcome(await link.outcome.conflict.merge());
    }
    case "over": {
      const error: LatchkeyError | undefined = link.error;
      return console.log(error?.message, link.email);
    }
    case "elsewhere": {
      show(link.email, link.device, link.requestedAt);
      const url: string = link.waiting ? link.approveURL : "/";
      console.log(url, link.place);
      await link.deny();
      await link.continueHere({ email: "ann@example.com" });
      const outcome: Outcome = await link.continueHere({ email: "ann@example.com", guest: Math.random() < 0.5 ? "merge" : "drop" });
      return welcome(outcome);
    }
  }
}

export async function others() {
  const one: Outcome = await auth.signInWithProvider({ providerId: "google.com", idToken: "…" });
  const two: Outcome = await auth.signInWithProvider({ providerId: "apple.com", idToken: "…", nonce: "…", onConflict: "ask" });
  const three: Outcome = await auth.signInWithCustomToken("…");
  await auth.signInWithCustomToken("…", { deleteGuest: true });
  await auth.signOut();
  await auth.signOut({ deleteGuest: true, everywhere: true });
  return [one, two, three];
}

export async function documents() {
  const today: DocumentReference = auth.document("notes/today");
  const { data, version: stored, exists }: Snapshot = await today.get();
  const { version: next } = await today.set({ text: "milk" });
  same<typeof next, string | null>(true);
  await today.set({ text: "milk" }, { ifVersion: stored });
  await today.set({ text: "milk" }, { ifVersion: "*" });
  await today.update({ text: null }, { ifVersion: null });
  await today.delete();
  await today.delete({ ifVersion: next });
  const end: () => void = today.subscribe(({ data, version, exists }) => console.log(data?.text, version, exists), (error) => console.log(error.code));
  const notes: Collection = auth.collection("notes");
  const entries: Entry[] = await notes.list();
  const stop: () => void = notes.subscribe((entries) => entries.map(({ id, data, version }) => `${id}${version}${data.text}`));
  const writes: Write[] = [
    { path: "notes/a", set: { n: 1 } },
    { path: "notes/b", update: { n: null }, ifVersion: "7" },
    { path: "notes/c", delete: true, ifVersion: "*" },
  ];
  const versions: (string | null)[] = await auth.write(writes);
  end();
  stop();
  return [data.text, exists, entries, versions];
}

export async function account() {
  const token: string = await auth.token();
  const answer: Response = await auth.fetch("/api/notes", { method: "POST", body: token });
  await auth.fetch(new URL("https://api.example.com/"));
  await auth.fetch(new Request("/api/notes"));
  same<Awaited<ReturnType<typeof auth.reload>>, User | null | undefined>(true);
  await auth.update({ displayName: "Ann", photoURL: null });
  await auth.update({});
  await auth.setUsername("ann");
  await auth.setUsername(null);
  const { username, available, uid } = await auth.findUsername("ann");
  same<typeof uid, string | null>(true);
  await auth.changeEmail("ann@example.org");
  await auth.changeEmail("ann@example.org", { continueUrl: "https://example.com/" });
  await auth.unlink("google.com");
  for (const { id, device, current, createdAt, lastUsedAt } of await auth.sessions.list()) {
    if (!current) await auth.sessions.end(id);
    const times: string[] = [createdAt, lastUsedAt];
    console.log(device?.toUpperCase(), times);
  }
  location.assign(await auth.accountURL());
  await auth.delete();
  return [answer.status, username.length, available];
}

export function explain(error: unknown): string {
  if (!(error instanceof LatchkeyError)) return String(error);
  const status: number = error.status;
  if (error.retryAfter !== undefined) return `${error.message} ${error.retryAfter + status} ${error.isTemporary}`;
  switch (error.recovery) {
    case "retry": case "wait": case "sign-in": case "sign-in-again": case "new-email": case "check-email": case "check-code":
    case "merge": case "confirm": case "configure":
      return error.recovery;
    case undefined:
      return error.code;
  }
}

end();
