// All loops, in pages: by name, or by the facts that their program declares.

import { get, query } from "./api.js";
import { clock, count, distance, h, moment, name, prose, shown, table } from "./dom.js";
import { kinds } from "./program.js";

const size = 50;
const states = ["running", "idle", "held", "ended"];
const means = {
  running: "effects of it are pending", idle: "it waits for an event", held: "an event in quarantine holds it", ended: "it has ended",
};
const fields = ["prefix", "state", "where", "sort", "after"];

/** The badge of a state. */
export function badge(state) {
  const sign = { running: "●", idle: "○", held: "✕", ended: "■" }[state] ?? "·";
  return h("span", { class: `state ${states.includes(state) ? state : ""}`, title: means[state] }, h("span", { "aria-hidden": "true" }, sign), ` ${shown(state)}`);
}

function address(values) {
  return "#/loops" + query(values);
}

/** A page of loops, with the names of the facts that some of them have. */
async function load(values, signal) {
  const { prefix, state, where, sort, after } = values;
  const found = { prefix, state, limit: size, facts: true };
  if (where || sort) return { ...(await get("/loops" + query({ ...found, where, sort, after }), signal)), hasFacts: true };
  const page = await get("/loops" + query({ prefix, state, limit: size, after }), signal);
  try {
    // In the order of names a place is a dot and a name; a loop without facts is in the first list only.
    const facts = await get("/loops" + query({ ...found, after: after && `.${after}` }), signal);
    const known = new Map(facts.loops.map((loop) => [loop.loop, loop.facts]));
    for (const loop of page.loops) loop.facts = known.get(loop.loop);
    return { ...page, hasFacts: true, isComplete: facts.isComplete };
  } catch (error) {
    if (error.status !== 400) throw error;
    return page; // no facts here
  }
}

function fact(value) {
  if (value === undefined || value === null) return h("td", {}, h("span", { class: "muted" }, "–"));
  if (typeof value === "number") return h("td", { class: "number" }, count(value));
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return h("td", {}, moment(text));
  return h("td", {}, name(text.length > 80 ? text.slice(0, 80) + "…" : text));
}

function heading(key, values, isNumber) {
  const [isUp, isDown] = [values.sort === key, values.sort === `-${key}`];
  const next = isUp ? `-${key}` : isDown ? "" : key;
  return h("th", { scope: "col", class: isNumber ? "number" : undefined, "aria-sort": isUp ? "ascending" : isDown ? "descending" : undefined },
    h("a", { href: address({ ...values, sort: next, after: "" }), title: "Sort by this fact" }, name(key), isUp ? " ▲" : isDown ? " ▼" : ""));
}

function list(page, values) {
  const keys = [...new Set(page.loops.flatMap((loop) => Object.keys(loop.facts ?? {})))].sort();
  const rows = page.loops.map((loop) =>
    h("tr", { class: loop.state === "held" ? "bad" : undefined },
      h("th", { scope: "row" }, h("a", { href: `#/loop/${encodeURIComponent(loop.loop)}` }, name(loop.loop))),
      h("td", {}, badge(loop.state)), keys.map((key) => fact(loop.facts?.[key])),
      h("td", { class: "number" }, count(loop.lastSequence)), h("td", { class: "number" }, count(loop.pendingEffects)),
      h("td", {}, loop.lastEvent ? h("time", { datetime: loop.lastEvent, title: clock(loop.lastEvent, true) }, distance(loop.lastEvent)) : "–")));
  if (!rows.length) {
    const hint = page.next ? "None on this page, but others may follow." : fields.some((field) => values[field]) ? "No loop is like that." : "There are no loops yet: the first event of a loop begins it.";
    return h("p", { class: "muted" }, hint);
  }
  const columns = ["Loop", "State", ...keys.map((key) => heading(key, values, page.loops.some((loop) => typeof loop.facts?.[key] === "number"))), "#Events", "#Pending", "Last event"];
  return table("Loops", columns, rows);
}

/** The ways to the other pages of a list. */
export function pages(page, values, address) {
  const depth = history.state?.depth ?? 0;
  const next = () => {
    history.pushState({ depth: depth + 1 }, "", address({ ...values, after: page.next }));
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  return h("nav", { class: "pages", "aria-label": "Pages of the list" },
    values.after && h("a", { class: "button", href: address({ ...values, after: "" }) }, "First page"),
    depth > 0 && h("button", { type: "button", onclick: () => history.back() }, "← Back"),
    page.next && h("button", { type: "button", onclick: next }, "Next →"));
}

function form(values) {
  const input = (id, label, hint, more = {}) =>
    h("div", { class: "field" }, h("label", { for: id }, label),
      h("input", { id, name: id, value: values[id] ?? "", placeholder: hint, autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...more }));
  const state = h("select", { id: "state", name: "state" }, h("option", { value: "" }, "any"), states.map((each) => h("option", { value: each }, each)));
  state.value = values.state ?? "";
  const more = h("details", { open: Boolean(values.where || values.sort) }, h("summary", {}, "By facts"),
    h("div", { class: "fields" },
      input("where", "Condition on facts", "stage = shipping and total > 10000"), input("sort", "Sort by fact", "-total for the largest first")),
    h("p", { class: "muted" }, "Facts are what a program declares of its loops; they are columns of the list. Press a column's head to sort by it."));
  const element = h("form", { class: "panel search", role: "search" },
    h("div", { class: "fields" }, input("prefix", "Name begins with", "order/"), h("div", { class: "field" }, h("label", { for: "state" }, "State"), state),
      h("button", { class: "primary" }, "Show")), more);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = address(Object.fromEntries(new FormData(element)));
  });
  state.addEventListener("change", () => element.requestSubmit());
  return element;
}

/** The view. */
export function loops(main, _, parameters) {
  let request = new AbortController();
  const chips = h("nav", { class: "chips", "aria-label": "Kinds of loops", hidden: true });
  const search = h("div");
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const result = h("div", { class: "list", "aria-busy": "true" });
  main.append(h("h1", {}, "Loops"), chips, search, problem, result);

  async function showKinds(values) {
    const all = await kinds().catch(() => []);
    chips.hidden = !all.length;
    chips.replaceChildren(...[["", "all"], ...all.map((kind) => [`${kind}/`, kind])].map(([prefix, label]) =>
      h("a", { href: address({ prefix }), "aria-current": (values.prefix ?? "") === prefix ? "true" : undefined }, name(label))));
  }

  async function update(parameters) {
    const values = Object.fromEntries(fields.map((field) => [field, parameters.get(field) ?? ""]));
    request.abort();
    request = new AbortController();
    const signal = request.signal;
    const isTyping = search.contains(document.activeElement) && document.activeElement.id;
    search.replaceChildren(form(values));
    if (isTyping) document.getElementById(isTyping)?.focus();
    showKinds(values);
    result.setAttribute("aria-busy", "true");
    try {
      const page = await load(values, signal);
      if (signal.aborted) return;
      problem.hidden = true;
      const stale = page.isComplete === false && h("p", { class: "muted" }, "Facts of some loops are still computed by this build of the program.");
      result.replaceChildren(...[stale, list(page, values), pages(page, values, address)].filter(Boolean));
    } catch (error) {
      if (signal.aborted) return;
      problem.replaceChildren(...prose(error.message));
      problem.hidden = false;
      result.replaceChildren();
    }
    result.removeAttribute("aria-busy");
  }
  update(parameters);
  return { title: "Loops", update, end: () => request.abort() };
}
