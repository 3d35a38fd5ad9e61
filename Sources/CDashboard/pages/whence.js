// Why a value is as it is: the event that last changed it, the effect that brought that event, and so on backwards.

import { sentence } from "./causes.js";
import { none, same, valueAt } from "./difference.js";
import { h, prose, shown } from "./dom.js";
import { caseName, effectPlace } from "./history.js";
import { brief } from "./tree.js";

/** Events that are compared, and the milliseconds that it takes, before the reader is asked. */
const farthest = 300;
const longest = 15_000;
/** Models that are asked for at once. */
const ahead = 4;
/** Causes in a row. */
const steps = 12;

/** The event that last changed the value at a pointer, up to one event; `isOpen` when the search gave up. */
async function lastChange(models, pointer, from, first, signal, progress) {
  const begun = performance.now();
  const now = valueAt((await models(from)).model, pointer);
  for (let number = from; number > first; number--) {
    if (signal.aborted || from - number >= farthest || performance.now() - begun > longest) return { number, now, isOpen: true };
    if ((from - number) % 25 === 24) progress(number);
    for (let next = 2; next <= ahead; next++) if (number - next >= first) models(number - next).catch(() => {});
    let before;
    try {
      before = valueAt((await models(number - 1)).model, pointer);
    } catch (error) {
      if (error.code !== "unknown-event") throw error;
      return { number, now, isForgotten: true };
    }
    if (!same(before, now)) return { number, before, now };
  }
  return { number: first, before: none, now };
}

/** A panel that explains the value at a pointer, as of an event. */
export function whence({ pointer, at, first, history, models, go, close, signal }) {
  const list = h("ol", { class: "steps" }, h("li", { class: "muted" }, "Looking at earlier models…"));
  const path = pointer.split("/").slice(1).filter((step) => !/^_\d+$/.test(step)).map((step) => shown(step.replaceAll("~1", "/").replaceAll("~0", "~"))).join(" › ");
  const panel = h("section", { class: "panel whence", "aria-labelledby": "whence-title" },
    h("h3", { id: "whence-title" }, "Why is ", h("span", { class: "key", dir: "auto" }, path || "the model"), " as it is?"),
    h("a", { class: "close", href: close }, "Close"), list);

  async function explain() {
    const change = await lastChange(models, pointer, at, first, signal, (number) => (list.firstElementChild.textContent = `Looking at earlier models… event ${number}`));
    if (signal.aborted) return;
    if (change.isOpen || change.isForgotten) {
      const reason = change.isForgotten ? `Earlier models are not known: event ${change.number} or an earlier one set it.`
        : `It has been so since event ${change.number} at least.`;
      list.replaceChildren(h("li", {}, reason, " ", change.isOpen && h("a", { href: `${go(change.number)}&why=${encodeURIComponent(pointer)}` }, "Look further back")));
      return;
    }
    let entry = await history.wait(change.number);
    const words = change.before === none && change.number === first ? [" has had it since the beginning: ", h("q", {}, brief(change.now))]
      : [change.before === none ? " set it to " : " changed it from ", change.before !== none && [h("q", {}, brief(change.before)), " to "], h("q", {}, brief(change.now)), "."];
    const found = [h("li", {}, reference(change.number, entry, go), words)];
    for (let step = 0; entry && step < steps; step++) {
      const place = effectPlace(entry.effect);
      const next = place?.loop === history.loop && place.event < entry.sequence ? await history.wait(place.event) : undefined;
      found.at(-1).append(" ", h("span", { class: "muted" }, sentence(entry, history, go, true)));
      if (!next) break;
      found.push(h("li", {}, reference(next.sequence, next, go), " asked for ", h("span", { class: "case", dir: "auto" }, shown(history.effectName(entry.effect))), "."));
      entry = next;
    }
    if (!signal.aborted) list.replaceChildren(...found);
  }
  explain().catch((error) => signal.aborted || list.replaceChildren(h("li", { class: "problem" }, prose(error.message, history.loop))));
  return panel;
}

function reference(number, entry, go) {
  const label = entry ? (entry.source === "start" ? "start" : caseName(entry.event, entry.type)) : "";
  return [h("a", { href: go(number) }, `Event ${number}`), " ", h("span", { class: "case", dir: "auto" }, shown(label))];
}
