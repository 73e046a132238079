// Makes the console quicker: links and searches fetch the next page and replace the content, without a full load. After any
// error, and for forms that change something, the browser loads the page as it does without this script.
const announcer = document.createElement("p");
announcer.className = "hidden";
announcer.setAttribute("role", "status");
document.body.append(announcer);

let running = new AbortController();

/** Whether a URL is a page of the console that may be fetched. */
function isPage(url) {
  return url.origin === location.origin && (url.pathname === "/console" || url.pathname.startsWith("/console/"));
}

/** Fetches a page of the console; throws if the answer is another page, such as the sign-in after the session has ended. */
async function fetchPage(url, signal) {
  const answer = await fetch(url, { headers: { Accept: "text/html" }, signal });
  if (answer.redirected || !answer.headers.get("Content-Type")?.startsWith("text/html")) throw new Error("another page");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.querySelector("header") || !page.querySelector("main")) throw new Error("no page of the console");
  return page;
}

/** Replaces the content by that of another page, and tells screen readers. */
function show(page) {
  const focused = document.activeElement?.id;
  document.title = page.title;
  document.body.className = page.body.className;
  for (const part of ["header", "main"]) document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  // A search keeps its field, so that the person can go on typing. Otherwise reading starts at the heading.
  const field = focused && document.querySelector(`main input#${CSS.escape(focused)}`);
  const heading = document.querySelector("main h1");
  if (heading) heading.tabIndex = -1;
  (field || heading)?.focus({ preventScroll: true });
  const rows = document.querySelectorAll("main tbody tr").length;
  announcer.textContent = `${document.title}${field ? `, ${rows} ${rows === 1 ? "row" : "rows"}` : ""}`;
  awaitNumbers();
}

let counting;

/** Fetches a page again while its numbers are being counted, and replaces only these, so that nothing typed is lost. */
function awaitNumbers() {
  clearTimeout(counting);
  if (!document.querySelector("main [data-counting]")) return;
  const shown = document.querySelector("main");
  counting = setTimeout(async () => {
    try {
      const page = await fetchPage(new URL(location.href), running.signal);
      if (document.querySelector("main") !== shown) return;
      for (const part of shown.querySelectorAll("[data-counting]")) {
        const counted = page.getElementById(part.id);
        if (counted) part.replaceWith(document.adoptNode(counted));
      }
      if (!shown.querySelector("[data-counting]")) announcer.textContent = "The guests are counted.";
    } catch {
      // The page stays as it is; a visit of another page ends the wait, too.
      return;
    }
    awaitNumbers();
  }, 500);
}

/** Goes to a page: by a link or a search, or (`isReturn`) because the person went back or forward. */
async function visit(url, isReturn, position) {
  running.abort();
  const own = running = new AbortController();
  document.querySelector("main").setAttribute("aria-busy", "true");
  try {
    const page = await fetchPage(url, own.signal);
    if (own !== running) return;
    show(page);
    if (!isReturn) history.pushState(null, "", url);
    scrollTo(0, position);
  } catch {
    // A later visit has taken this one's place, or the browser says what is wrong.
    if (own !== running) return;
    if (isReturn) location.reload();
    else location.assign(url);
  }
}

/** Remembers how far the person has scrolled, for when they come back. */
function leave() {
  history.replaceState({ position: scrollY }, "");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (!isPage(url) || url.hash) return;
  event.preventDefault();
  leave();
  visit(url, false, 0);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "get") return;
  const url = new URL(form.action);
  if (!isPage(url)) return;
  url.search = new URLSearchParams(new FormData(form));
  event.preventDefault();
  leave();
  visit(url, false, 0);
});

addEventListener("popstate", (event) => {
  // A jump within the page, such as to the content, is the browser's.
  if (location.hash) return;
  visit(new URL(location.href), true, event.state?.position ?? 0);
});

awaitNumbers();
