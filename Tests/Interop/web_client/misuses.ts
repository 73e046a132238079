// Mistakes that the types of latchkey.js must catch. The compiler fails at each directive whose next line has no mistake.
import { createLatchkey, LatchkeyError } from "latchkey";
import type { AuthEvent, HandledLink, Outcome, PendingRequest, User, Write } from "latchkey";

// @ts-expect-error The server is missing.
createLatchkey({});
// @ts-expect-error No such way to make guests.
createLatchkey({ url: "https://auth.example.com", guests: "never" });
// @ts-expect-error No such option.
createLatchkey({ url: "https://auth.example.com", guest: "auto" });

const auth = createLatchkey({ url: "https://auth.example.com" });
// @ts-expect-error The user may be undefined or null.
auth.user.uid;
// @ts-expect-error A property of the client.
auth.user = null;
// @ts-expect-error No such property.
auth.currentUser;
// @ts-expect-error No such storage.
auth.storage === "localStorage";

export function ofUser(user: User) {
  // @ts-expect-error An address may be missing.
  user.email.length;
  // @ts-expect-error No such member.
  user.localId;
  // @ts-expect-error The list never changes.
  user.providers.push("google.com");
}
// @ts-expect-error No such event.
export const event: AuthEvent = "signedin";
// @ts-expect-error The listener gets one object.
auth.onChange((user: User) => user.uid);
// @ts-expect-error It returns a function.
auth.onChange(() => {}).unsubscribe();

// @ts-expect-error An address is text.
void auth.keep({ email: "ann@example.com" });
// @ts-expect-error No such policy.
void auth.keep("ann@example.com", { onConflict: "report" });
// @ts-expect-error An address of a page is text.
void auth.keep("ann@example.com", { continueUrl: new URL("https://example.com") });
// @ts-expect-error No request may be waiting.
void auth.pending.code("1234 5678");
export function ofRequest(request: PendingRequest, outcome: Outcome) {
  // @ts-expect-error A code is text.
  void request.code(12345678);
  // @ts-expect-error It is a promise, not a function.
  void request.done();
  // @ts-expect-error A number.
  request.expiresAt.getTime();
  // @ts-expect-error A report is there after a merge only.
  outcome.report.documents;
  // @ts-expect-error No such part of the report.
  outcome.report?.rows;
  // @ts-expect-error A conflict is there only if the app asks for it.
  void outcome.conflict.merge();
}

export function ofLink(link: HandledLink | null) {
  // @ts-expect-error Not every page is opened by a link.
  link.state;
  // @ts-expect-error No such state.
  if (link?.state === "signedin") console.log(link);
  // @ts-expect-error Only a link of another device has a page to approve it.
  if (link?.state === "signedIn") console.log(link.approveURL);
  // @ts-expect-error Only a link of this browser has an outcome.
  if (link?.state === "elsewhere") console.log(link.outcome);
  if (link?.state === "elsewhere") {
    // @ts-expect-error The address is missing.
    void link.continueHere({});
    // @ts-expect-error No such answer about the guest.
    void link.continueHere({ email: "ann@example.com", guest: true });
  }
}

// @ts-expect-error The token is missing.
void auth.signInWithProvider({ providerId: "google.com" });
// @ts-expect-error A token is text.
void auth.signInWithCustomToken({ token: "…" });
// @ts-expect-error No such option.
void auth.signOut({ deleteGuests: true });

// @ts-expect-error A document has a name.
auth.document();
// @ts-expect-error A document is an object.
void auth.document("notes/today").set("milk");
// @ts-expect-error A version is text.
void auth.document("notes/today").set({}, { ifVersion: 7 });
// @ts-expect-error A condition is an object.
void auth.document("notes/today").delete("7");
// @ts-expect-error The listener gets one snapshot.
auth.document("notes/today").subscribe((data, version) => [data, version]);
// @ts-expect-error A snapshot has no such member.
auth.document("notes/today").subscribe(({ document }) => document);
// @ts-expect-error A collection is no document.
void auth.collection("notes").get();
// @ts-expect-error Several writes are a list.
void auth.write({ path: "notes/a", set: {} });
// @ts-expect-error One write does one thing.
export const two: Write = { path: "notes/a", set: {}, delete: true };
// @ts-expect-error One write does something.
export const none: Write = { path: "notes/a" };
// @ts-expect-error The versions are text.
export const versions: Promise<number[]> = auth.write([]);

// @ts-expect-error A token takes a moment.
export const token: string = auth.token();
// @ts-expect-error A profile is an object.
void auth.update("Ann");
// @ts-expect-error Only null removes a username.
void auth.setUsername(undefined);
// @ts-expect-error The provider is missing.
void auth.unlink();
// @ts-expect-error A session is named by its id.
void auth.sessions.end({ id: "…" });
// @ts-expect-error The URL takes a moment.
location.assign(auth.accountURL());
// @ts-expect-error The list takes a moment.
auth.sessions.list().map(({ id }) => id);
// @ts-expect-error No such recovery.
export const isOver = (error: LatchkeyError) => error.recovery === "reload";
