// The mailbox of development mode: shows new e-mails by itself, and makes the frame as high as the e-mail in it.
const list = document.querySelector(".messages");

/** Fetches the page again, and replaces the list if it has changed. */
async function refresh() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".messages");
    if (answer.ok && fresh && fresh.innerHTML !== list.innerHTML) list.innerHTML = fresh.innerHTML;
  } catch {
    // The server is being restarted; the next round finds it again.
  }
  setTimeout(refresh, 1000);
}

/** Fits the frame to the document in it. */
function fit(frame) {
  const content = frame.contentDocument?.documentElement;
  if (content) frame.style.height = `${content.scrollHeight + 2}px`;
}

if (list) setTimeout(refresh, 1000);
for (const frame of document.querySelectorAll("iframe")) {
  frame.addEventListener("load", () => fit(frame));
  addEventListener("resize", () => fit(frame));
  fit(frame);
}
