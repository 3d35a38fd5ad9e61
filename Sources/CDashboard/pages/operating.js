// What waits, and what has failed for good: lists for operators, each with the commands that help.

import { get, query } from "./api.js";
import { command, cut, distance, h, moment, name, prose, shown, span, table } from "./dom.js";
import { effectPlace } from "./history.js";
import { pages } from "./loops.js";

const size = 50;

/** A view of one list; `list` names its path and its fields, and makes its rows. */
function listing(list, main, parameters) {
  let request = new AbortController();
  const address = (values) => list.address + query(values);
  const form = h("form", { class: "panel search", role: "search" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const result = h("div", { class: "list" });
  main.append(h("h1", {}, list.title), h("p", { class: "muted" }, list.about), form, problem, result);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = address(Object.fromEntries(new FormData(form)));
  });

  async function update(parameters) {
    const values = Object.fromEntries([...list.fields.map(([id]) => id), "after"].map((id) => [id, parameters.get(id) ?? ""]));
    request.abort();
    request = new AbortController();
    const signal = request.signal;
    form.replaceChildren(h("div", { class: "fields" }, list.fields.map(([id, label, hint]) =>
      h("div", { class: "field" }, h("label", { for: id }, label),
        h("input", { id, name: id, value: values[id], placeholder: hint, autocomplete: "off", spellcheck: "false", autocapitalize: "off" }))), h("button", { class: "primary" }, "Show")));
    try {
      const page = await get(list.path + query({ ...values, limit: size }), signal);
      const found = page[list.key];
      problem.hidden = true;
      result.replaceChildren(found.length ? table(list.title, list.columns, found.map(list.row)) : h("p", { class: "muted" }, list.none), pages(page, values, address));
    } catch (error) {
      if (signal.aborted) return;
      problem.replaceChildren(...prose(error.message));
      problem.hidden = false;
      result.replaceChildren();
    }
  }
  update(parameters);
  return { title: list.title, update, end: () => request.abort() };
}

/** The loop that asked for an effect, and the event with which it did. */
function origin(id) {
  const place = effectPlace(id);
  return h("th", { scope: "row" }, h("a", { href: `#/loop/${encodeURIComponent(place.loop)}?at=${place.event}` }, name(`${place.loop}, event ${place.event}`)));
}

/** The pending effects. */
export function effects(main, _, parameters) {
  return listing({
    title: "Pending effects", address: "#/effects", path: "/effects", key: "effects", none: "No effect is pending here.",
    about: ["What loops asked for and has not ended. ", command("mobius effects"), " shows the same, and cancels, fails or completes one."],
    fields: [["pool", "Pool", "payments"], ["loop", "Loop", "order/4711"]],
    columns: ["Asked for by", "Effect", "State", "Pool", "#Age", "#Failed", "Why it waits"],
    row: (effect) => {
      const worker = effect.worker && (effect.workerName || effect.worker.slice(0, 8));
      const why = [effect.obstacle, worker && `on worker ${worker}`, effect.reason && `last failure: ${effect.reason}`].filter(Boolean).map((each) => cut(each, 200)).join("; ");
      return h("tr", {}, origin(effect.id), h("td", {}, h("span", { class: "case" }, cut(effect.name || effect.type))), h("td", {}, shown(effect.phase)),
        h("td", {}, effect.pool ? name(effect.pool) : "–"), h("td", { class: "number" }, span(effect.ageMilliseconds)), h("td", { class: "number" }, String(effect.failures)),
        h("td", { class: "long" }, why, effect.due && [why && "; ", `until `, moment(effect.due), `, ${distance(effect.due)}`]));
    },
  }, main, parameters);
}

/** The dead letters. */
export function letters(main, _, parameters) {
  return listing({
    title: "Dead letters", address: "#/letters", path: "/letters", key: "letters", none: "There are no dead letters here.",
    about: ["Effects that failed for good and are kept. When the cause is gone, ", command("mobius dead retry EFFECT"), " tries one again; ", command("mobius dead drop EFFECT"), " forgets it."],
    fields: [["prefix", "Loop begins with", "order/"]],
    columns: ["Asked for by", "Effect", "Pool", "Failed", "#Attempts", "Why", "Help"],
    row: (letter) => h("tr", {}, origin(letter.id), h("td", {}, name(letter.type)), h("td", {}, letter.pool ? name(letter.pool) : "–"), h("td", {}, moment(letter.deadLettered)),
      h("td", { class: "number" }, String(letter.failures)), h("td", { class: "long" }, shown(letter.reason)), h("td", {}, command("mobius dead retry", letter.id))),
  }, main, parameters);
}
