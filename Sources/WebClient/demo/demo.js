// A small app on latchkey.js: a favourite number and a few notes, for guests and for people with an address.
import { createLatchkey } from "/sdk/latchkey.js";

const auth = createLatchkey({ url: location.origin });
const $ = (id) => document.getElementById(id);
const show = (id, isShown) => { $(id).hidden = !isShown; };
// What people wrote always becomes `textContent`, never HTML. Markup in a note or a name then stays text.
const make = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text, ...more });
let watched; // What the page waits for: `done` of the request for an e-mail.

/** Shows a message at the top of the page. Without a title it closes the message. */
function say(title = "", ...lines) {
  $("message-title").textContent = title;
  $("message-lines").replaceChildren(...lines.map((line) => make("li", line)));
  show("message", title);
}

/** Runs `work` at an event, once at a time. An error is shown in the same section: each has a sentence for people. */
function on(id, type, work) {
  const problem = $(id).closest("section, dialog, #news").querySelector(".problem");
  let isRunning = false;
  $(id).addEventListener(type, async (event) => {
    event.preventDefault();
    if (isRunning) return;
    isRunning = true;
    problem.textContent = "";
    try { await work(event); } catch (error) { problem.textContent = error.message; }
    isRunning = false;
  });
}
on("close", "click", () => say());

// 1. Who is here? The listener runs at once, and after every change of the user in any tab or on any device.
auth.onChange(({ event }) => {
  if (event === "signedOut") say();
  if (event === "ended") say("Your session was ended", "Sign in again to get back to your data.");
  render();
});
document.addEventListener("visibilitychange", render); // Another tab may have asked for an e-mail meanwhile.

function render() {
  const { user, pending } = auth;
  const state = user === undefined ? "starting" : user === null ? "out"
    : user.isAnonymous ? "guest" : user.username ? "named" : "new";
  for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(state);
  $("who").textContent = { starting: "Starting…", out: "Signed out", guest: "Guest" }[state]
    ?? [user.username ?? user.displayName, user.email].filter(Boolean).join(" · ");
  $("text").disabled = $("add-button").disabled = !user;
  show("keep", !pending && ["guest", "out"].includes(state));
  show("pending", pending);
  if (!pending) return;
  // The request survives a reload, because phones drop a tab while its person reads the e-mail.
  $("address").textContent = pending.email;
  $("digits").textContent = pending.digits;
  $("until").textContent = timeOf(pending.expiresAt);
  if (watched !== pending.done) (watched = pending.done).then(finish, failed);
}
function timeOf(date) { return new Date(date).toLocaleTimeString([], { timeStyle: "short" }); }

// 2. The data: documents of the user, which all devices of the user follow live.
const offline = ({ message }) => say("Your data could not be loaded", message);
const favourite = auth.document("favourites/number");
function showNumber(value = 7) {
  $("number").value = Number(value) || 0;
  $("less").disabled = $("more").disabled = false;
}
favourite.subscribe(({ data }) => showNumber(data?.value), offline);
const choose = (value) => favourite.set({ value }).then(() => showNumber(value));
on("less", "click", () => choose(Number($("number").value) - 1));
on("more", "click", () => choose(Number($("number").value) + 1));

auth.collection("notes").subscribe((notes) => {
  const focused = document.activeElement.id;
  $("notes").replaceChildren(...notes.map(({ id, data }) => {
    const item = make("li");
    const label = { id: `delete-${id}`, value: id, className: "quiet", ariaLabel: `Delete “${data.text}”` };
    item.append(make("span", data.text), make("button", "×", label));
    return item;
  }));
  $("empty").textContent = "No notes yet.";
  // The buttons are new ones, so the keyboard's place among them must be restored.
  if (focused.startsWith("delete-")) ($(focused) ?? $("notes-title")).focus();
}, offline);
on("notes", "click", ({ target }) => target.value && auth.document(`notes/${target.value}`).delete());
on("add", "submit", async () => {
  await auth.document(`notes/${Date.now()}`).set({ text: $("text").value });
  $("add").reset();
});

// 3. "Keep it" sends an e-mail with a link and a code. Whichever is used first finishes the request.
on("ask", "submit", async () => {
  await auth.keep($("email").value);
  $("ask").reset();
  render();
  $("pending-title").focus();
});
on("redeem", "submit", () => auth.pending.code($("code").value));
on("resend", "click", () => auth.pending.resend().then(render));
on("cancel", "click", () => auth.pending.cancel());
on("again", "click", () => auth.start());

// 4. What became of it. An account that has the address takes over what the guest has, and a report says what moved.
const nameOf = ({ collection }) => ({ favourites: "Favourite number", notes: "Notes" })[collection] ?? collection;
const endings = { keptExisting: "your account’s stays", keptAnonymous: "this browser’s stays", keptBoth: "both stay" };
function finish({ user, event, merged, report, isNewUser }) {
  render();
  $("redeem").reset();
  if (event === "linked") return say("Kept", `All this is yours on every device, with ${user.email}.`);
  const { collections, conflicts } = merged ? report.documents : { collections: [], conflicts: [] };
  say(`${isNewUser ? "Welcome" : "Welcome back"}, ${user.username ?? user.displayName ?? user.email}`,
    ...collections.filter(({ moved }) => moved).map((one) => `${nameOf(one)}: ${one.moved} moved into your account.`),
    ...conflicts.map((one) => `${nameOf(one)}: both had one, and ${endings[one.outcome] ?? "they are one now"}.`));
}
function failed({ code, message }) {
  render();
  if (code === "used-elsewhere") say("The link was used in another browser", "What you have here stays here.");
  else say(["cancelled", "replaced"].includes(code) ? "" : message);
}

// 5. A new user picks a name. Signing out warns before it deletes a guest.
on("claim", "submit", () => auth.setUsername($("username").value));
on("leave", "click", () => auth.user.isAnonymous ? $("farewell").showModal() : auth.signOut());
on("delete", "click", () => auth.signOut({ deleteGuest: true }).then(() => $("farewell").close()));

// 6. The link opens this page, in the browser that asked or in any other.
const link = await auth.handleLink().catch(failed);
if (link?.state === "signedIn") finish(link.outcome);
if (link?.state === "over") say("This link is over", "It was used or declined, or it has expired. Ask for a new e-mail.");
if (link?.state === "elsewhere") {
  // Another browser asked. Nothing has changed yet, and signing in that browser is the first choice.
  $("link-text").textContent = `${link.device ?? "A device"} asked at ${timeOf(link.requestedAt)} to sign in as ${link.email}.`;
  $("approve").href = link.approveURL;
  show("link", true);
}
on("here", "submit", async () => {
  try {
    finish(await link.continueHere(Object.fromEntries(new FormData($("here")))));
    show("link", false);
  } catch (error) {
    if (error.code !== "guest-would-be-lost") throw error;
    // Only the person can say what becomes of this browser's data, so nothing is selected beforehand.
    $("fate").disabled = $("fate").hidden = false;
    $("fate").querySelector("input").focus();
  }
});
on("deny", "click", async () => {
  await link.deny();
  show("link", false);
  say("Declined", "That device is not signed in.");
});
