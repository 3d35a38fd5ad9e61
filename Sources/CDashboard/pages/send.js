// Sends an event to a loop, after a confirmation, under a key that makes a repetition harmless.

import { ask, loopPath, query, readJSON, Refusal } from "./api.js";
import { h, name, prose, shownLines } from "./dom.js";
import { examples } from "./program.js";
import { tree } from "./tree.js";
import { none } from "./difference.js";

/** A new key; `crypto.randomUUID` is there over TLS only. */
function newKey() {
  return "dashboard-" + [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What was typed and not taken, because a new token is needed first. */
let draft;

/** Whether an event may have been applied although its sender was told nothing: by the coordinator, or by a proxy that lost the answer. */
function isOpenOutcome(error) {
  return !(error instanceof Refusal) || error.status === 0 || error.code === "busy" || (error.code === "" && (error.status >= 500 || error.status < 400));
}

/** Asks for a confirmation that names its target. */
function confirm(loop, text) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": "confirm-title" },
      h("h2", { id: "confirm-title" }, "Send this event to ", name(loop), "?"),
      h("p", {}, "It is applied at once, and nothing takes it back."),
      h("pre", { tabindex: "0" }, shownLines(text.length > 2000 ? text.slice(0, 2000) + "…" : text)),
      h("form", { method: "dialog", class: "buttons" }, h("button", { value: "" }, "Cancel"), h("button", { value: "send", class: "primary", id: "confirm-send" }, "Send to ", name(loop))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "send");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The view. */
export function send(main, loop, parameters) {
  const kept = draft?.loop === loop ? draft : undefined;
  draft = undefined;
  let key = kept?.key ?? newKey(), isSent = false, isOpen = false;
  const choice = h("select", { id: "example" }, h("option", { value: "" }, "choose an event to begin with"));
  const editor = h("textarea", { id: "event", rows: "10", spellcheck: "false", required: true, autocapitalize: "off", value: kept?.text ?? "" });
  const begins = h("input", { id: "begins", type: "checkbox", checked: kept?.begins ?? parameters.has("begin") });
  const keyText = h("code", {}, key);
  const result = h("div", { "aria-live": "polite" });
  const button = h("button", { class: "primary", id: "send" }, "Send…");
  const form = h("form", { class: "panel", "aria-labelledby": "send-title" },
    h("div", { class: "field" }, h("label", { for: "example" }, "Kind of event"), choice),
    h("div", { class: "field" }, h("label", { for: "event" }, "The event, in JSON"), editor),
    h("p", {}, begins, " ", h("label", { for: "begins" }, "Begin the loop if it does not exist")),
    h("p", { class: "muted" }, "Its key is ", keyText, ": of all events with one key only the first is applied, so sending it again is harmless."), button);
  main.append(h("h1", { id: "send-title" }, "Send an event to ", h("a", { href: `#/loop/${encodeURIComponent(loop)}` }, name(loop))), form, result);

  let known = [];
  examples(loop).then((found) => {
    known = found;
    choice.append(...found.map((each, index) => h("option", { value: String(index) }, each.name)));
  }, (error) => result.replaceChildren(h("p", { class: "problem" }, prose(error.message))));
  const changed = () => {
    if (!isSent) return;
    // Another event needs another key.
    [key, isSent] = [newKey(), false];
    keyText.textContent = key;
    if (!isOpen) return;
    isOpen = false;
    result.replaceChildren(h("p", { class: "problem", role: "alert" }, "This is another event now, with a key of its own. Whether the one before was applied is not known: ",
      h("a", { href: `#/loop/${encodeURIComponent(loop)}` }, "the loop's events"), " tell it."));
  };
  choice.addEventListener("change", () => {
    if (choice.value === "") return;
    editor.value = JSON.stringify(known[Number(choice.value)].example, null, 2);
    changed();
  });
  editor.addEventListener("input", changed);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(await confirm(loop, editor.value))) return;
    const fields = [button, editor, choice, begins];
    for (const field of fields) field.disabled = true;
    [isSent, isOpen] = [true, false];
    result.replaceChildren(h("p", { class: "muted" }, "Sending…"));
    try {
      const { text } = await ask(loopPath(loop, "/events") + query({ existing: begins.checked ? "" : "true" }), {
        method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": key }, body: editor.value,
      });
      const answer = readJSON(text);
      result.replaceChildren(h("div", { class: "panel done" },
        h("p", {}, answer.repeated ? "It was applied before, under the same key" : "Applied",
          answer.number === undefined ? "." : [" as ", h("a", { href: `#/loop/${encodeURIComponent(loop)}?at=${answer.number}` }, `event ${answer.number}`), "."]),
        answer.answer !== undefined && tree("answer", none, answer.answer)));
    } catch (error) {
      if (error.status === 401) draft = { loop, key, text: editor.value, begins: begins.checked };
      isOpen = isOpenOutcome(error);
      result.replaceChildren(h("div", { class: "problem", role: "alert" }, h("p", {}, prose(error.message, loop)),
        isOpen && h("p", {}, "Nobody knows whether it was applied: send it again, under the same key, and it is applied once."),
        error.number !== undefined && h("p", {}, `The event is in the history nevertheless, under the number ${error.number}.`)));
    }
    for (const field of fields) field.disabled = false;
  });
  return { title: `Send an event to ${loop}`, update() {}, end() {} };
}
