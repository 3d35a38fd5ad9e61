// A model as a tree, with the difference to the one before. Only what is open is made, so a large model costs little.

import { Exact } from "./api.js";
import { changes, isBranch, none, parts, pointerTo, same } from "./difference.js";
import { count, counted, cut, h, shown } from "./dom.js";

/** Parts that are shown of a value at once. */
const page = 100;
/** Levels that are open at first, because something changed within. */
const deepest = 20;
/** Characters of a text that are shown at first. */
const shortest = 240;

/** The cases of a Swift enum in front of a value, in JSON `{"case":{"_0":value}}`, and the value that they carry. */
function unwrap(value, pointer) {
  const cases = [];
  while (isBranch(value) && !Array.isArray(value)) {
    const keys = Object.keys(value);
    const payload = keys.length === 1 ? value[keys[0]] : undefined;
    if (!isBranch(payload) || Array.isArray(payload) || !Object.keys(payload).every((key) => /^_\d+$/.test(key))) break;
    cases.push(keys[0]);
    pointer = pointerTo(pointer, keys[0]);
    const labels = Object.keys(payload);
    if (labels.length !== 1 || labels[0] !== "_0") {
      value = labels.length ? payload : none;
      break;
    }
    pointer = pointerTo(pointer, "_0");
    value = payload._0;
  }
  return { cases, value, pointer };
}

/** A value in one line. */
export function brief(value, limit = 60) {
  if (value === none) return "nothing";
  const { cases, value: rest } = unwrap(value, "");
  const head = cases.map((each) => cut(each)).join(" ");
  if (rest === none) return head;
  let text;
  if (typeof rest === "string") text = JSON.stringify(rest.length > limit ? rest.slice(0, limit) + "…" : rest);
  else if (Array.isArray(rest)) text = rest.length ? `[${counted(rest.length, "element")}]` : "[]";
  else if (isBranch(rest)) {
    const keys = Object.keys(rest);
    text = keys.length ? `{${keys.slice(0, 3).join(", ").slice(0, limit)}${keys.length > 3 ? ", …" : ""}}` : "{}";
  } else text = String(rest);
  return (head ? head + " " : "") + shown(text);
}

function text(value) {
  const element = h("span", { class: "text", dir: "auto" });
  const show = (isWhole) => {
    const isCut = !isWhole && value.length > shortest;
    element.replaceChildren(`"${shown(isCut ? value.slice(0, shortest) : value)}${isCut ? "…" : ""}"`);
    if (isCut) element.append(" ", h("button", { type: "button", class: "small", onclick: () => show(true) }, `show all ${counted(value.length, "character")}`));
  };
  show(false);
  return element;
}

function leaf(value) {
  if (value === none) return "";
  if (typeof value === "string") return text(value);
  const kind = value === null ? "null" : typeof value === "boolean" ? "boolean" : "figure";
  return h("span", { class: kind }, value instanceof Exact ? value.source : String(value));
}

const marks = { added: ["+", "added"], removed: ["−", "removed"], changed: ["≠", "changed"], within: ["›", "changes within"] };

/** One value with its parts; `context.why` makes the address that explains a value. */
function node(key, before, after, pointer, depth, context) {
  const isGone = after === none;
  const now = unwrap(isGone ? before : after, pointer);
  const old = before === none || isGone ? { cases: now.cases, value: none } : unwrap(before, pointer);
  const isSameCase = now.cases.join("\n") === old.cases.join("\n");
  const hasParts = isBranch(now.value) && Object.keys(now.value).length > 0;
  let state = "same";
  if (isGone) state = "removed";
  else if (before === none) state = context.isInside ? "same" : "added";
  else if (!same(before, after)) state = isSameCase && hasParts && isBranch(old.value) ? "within" : "changed";
  const inner = { ...context, isInside: context.isInside || state === "added" || state === "removed" || !isSameCase };
  const list = h("ul", {});
  let isMade = false;
  const toggle = hasParts && h("button", { type: "button", class: "toggle", "aria-expanded": "false", "aria-label": `Parts of ${cut(key)}` }, "▸");
  const open = (isOpen) => {
    if (isOpen && !isMade) fill(list, isSameCase && !isGone ? old.value : none, now.value, now.pointer, depth + 1, inner);
    isMade ||= isOpen;
    list.hidden = !isOpen;
    toggle.setAttribute("aria-expanded", String(isOpen));
    toggle.firstChild.data = isOpen ? "▾" : "▸";
  };
  toggle && toggle.addEventListener("click", () => open(list.hidden));
  const size = hasParts && h("span", { class: "muted" }, Array.isArray(now.value) ? counted(Object.keys(now.value).length, "element") : now.cases.length ? "" : counted(Object.keys(now.value).length, "field"));
  const was = state === "changed" && h("span", { class: "was" }, "was ", h("del", {}, brief(before)));
  const [sign, word] = marks[state] ?? [];
  const row = h("div", { class: "row" }, toggle || h("span", { class: "toggle" }),
    h("span", { class: "key", dir: "auto" }, cut(key)), now.cases.map((each) => h("span", { class: "case", dir: "auto" }, cut(each))),
    hasParts ? size : isBranch(now.value) ? h("span", { class: "muted" }, Array.isArray(now.value) ? "empty list" : "empty") : leaf(now.value),
    was, sign && h("span", { class: "mark", title: word }, h("span", { "aria-hidden": "true" }, `${sign} `), word),
    context.why && !isGone && h("a", { class: "why", href: context.why(pointer), "aria-label": `Why is ${cut(key)} as it is?` }, "Why?"));
  const element = h("li", { class: state }, row, hasParts && list);
  if (hasParts) {
    const isWanted = (depth < 2 || state === "within" || (state !== "same" && depth < 4)) && depth < deepest && context.budget.rows > 0;
    open(isWanted);
  }
  return element;
}

function fill(list, before, after, pointer, depth, context) {
  const all = context.isInside ? Object.keys(after).map((key) => [key, none, after[key]]) : parts(before, after);
  // What changed comes into view, however many there are.
  const first = all.length > page && !context.isInside ? all.findIndex(([, old, fresh]) => old === none || fresh === none || !same(old, fresh)) : -1;
  const start = first > page / 2 ? Math.floor(first / page) * page : 0;
  show(list, all, start, Math.min(all.length, start + page), pointer, depth, context);
  if (start) {
    const button = h("button", { type: "button", class: "small", onclick: () => {
      list.replaceChildren();
      show(list, all, 0, Math.min(all.length, start + page), pointer, depth, context);
    } }, `show the ${counted(start, "part")} before`);
    list.prepend(h("li", {}, button));
  }
}

function show(list, all, start, end, pointer, depth, context) {
  for (const [key, old, fresh] of all.slice(start, end)) {
    context.budget.rows -= 1;
    list.append(node(key, old, fresh, pointerTo(pointer, key), depth, context));
  }
  if (end >= all.length) return;
  const more = h("li", {}, h("button", { type: "button", class: "small", onclick: () => {
    more.remove();
    show(list, all, end, Math.min(all.length, end + page), pointer, depth, { ...context, budget: { rows: page } });
  } }, `show ${Math.min(page, all.length - end)} of ${counted(all.length - end, "more part")}`));
  list.append(more);
}

/** The tree of a value; `before` is `none` where there is nothing to compare with. */
export function tree(label, before, after, why) {
  const context = { why, budget: { rows: 300 }, isInside: before === none };
  return h("ul", { class: "tree" }, node(label, before, after, "", 0, context));
}

/** The number of an event's changes in words, or of all since an earlier event. */
export function changesInWords(before, after, since) {
  let found;
  try {
    found = changes(before, after);
  } catch (error) {
    if (error instanceof RangeError) return "too deep to be compared";
    throw error;
  }
  return `${found === 0 ? "no change" : found >= 1000 ? "1,000 changes or more" : counted(found, "change")} ${since === undefined ? "by this event" : `since event ${count(since)}`}`;
}
