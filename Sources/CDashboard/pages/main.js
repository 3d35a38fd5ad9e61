// The state of the page is its address: this reads it, and shows the view that it names.

import { announce, command, h, name, shown } from "./dom.js";
import { loop } from "./loop.js";
import { loops } from "./loops.js";
import { effects, letters } from "./operating.js";
import { overview } from "./overview.js";
import { send } from "./send.js";
import { login, showCaller } from "./session.js";

const views = { overview, loops, loop, send, effects, letters };
const main = document.getElementById("main");
let current, address;

/** The view, its subject and its parameters in an address such as `#/loop/order%2F1?at=3`. */
function read(hash) {
  const [path, parameters = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, ...rest] = path.split("/");
  const subject = rest.join("/");
  let decoded = subject;
  try {
    decoded = decodeURIComponent(subject);
  } catch {
    // It stands for itself.
  }
  return { view: Object.hasOwn(views, view) ? view : "overview", subject: decoded, parameters: new URLSearchParams(parameters) };
}

function show() {
  const wanted = read(location.hash);
  const key = `${wanted.view}/${wanted.subject}`;
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = link.dataset.page === wanted.view || (link.dataset.page === "loops" && wanted.view === "loop");
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // The same view with other parameters goes on.
  if (current && address === key) return current.update(wanted.parameters);
  current?.end();
  const isFirst = address === undefined;
  address = key;
  main.replaceChildren();
  const isStep = ["loop", "send"].includes(wanted.view) && [".", ".."].includes(wanted.subject);
  current = (isStep ? step : views[wanted.view])(main, wanted.subject, wanted.parameters);
  document.title = `${shown(current.title)} · Mobius Fleet`;
  if (!isFirst) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(shown(current.title));
  }
}

/** A loop whose name is a step in the paths of browsers, however it is written. */
function step(main, loop) {
  main.append(h("h1", {}, name(loop)), h("p", { class: "problem" }, "No browser can ask for a loop of this name: ", command("mobius history", loop), " shows it."));
  return { title: loop, update() {}, end() {} };
}

function showLogin(refusal) {
  current?.end();
  current = login(main, refusal, () => {
    [current, address] = [undefined, undefined];
    showCaller();
    show();
  });
  address = "login";
  document.title = "Log in · Mobius Fleet";
}

const keys = [
  ["← or k", "the event before"], ["→ or j", "the next event"], ["Home, End", "the first event, the last event (live)"],
  ["/", "search for loops"], ["?", "this list"],
];

function showKeys() {
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, keys.map(([key, what]) => [h("dt", {}, key), h("dd", {}, what)])),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

addEventListener("hashchange", show);
addEventListener("token-needed", (event) => address === "login" || showLogin(event.detail));
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input:not([type=range]), textarea, select, dialog, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") return showKeys();
  if (event.key === "/") {
    event.preventDefault();
    const field = document.getElementById("prefix");
    return field ? field.focus() : (location.hash = "#/loops");
  }
  if (current?.key?.(event)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => (document.hidden ? current?.sleep?.() : current?.wake?.()));
document.getElementById("help").addEventListener("click", showKeys);
document.getElementById("skip").addEventListener("click", () => main.focus());
showCaller();
show();
