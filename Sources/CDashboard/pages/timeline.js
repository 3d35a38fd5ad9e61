// A list of any number of events, of which only those in view are made.

import { clock, count, h, shown } from "./dom.js";
import { caseName } from "./history.js";
import { cause, line } from "./causes.js";

const height = 46;
/** Browsers make nothing taller than some millions of pixels: a longer list moves by several rows at once. */
const tallest = 8_000_000;

export class Timeline {
  constructor(history, select) {
    this.history = history;
    [this.first, this.last] = [0, 0];
    this.rows = h("div", { class: "rows" });
    this.space = h("div", { class: "space-of-rows" }, this.rows);
    this.element = h("div", { class: "timeline", role: "listbox", "aria-label": "Events, the newest last", tabindex: "0", "aria-busy": "true" }, this.space);
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest("[data-event]");
      if (row) select(Number(row.dataset.event));
    });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
  }

  get total() {
    return this.last - this.first + 1;
  }

  /** Shows these events, with one of them chosen and in view. */
  show(first, last, selected) {
    if (selected !== this.selected) this.wanted = selected;
    [this.first, this.last, this.selected] = [first, last, selected];
    this.element.style.maxHeight = `${this.total * height + 2}px`;
    this.space.style.height = `${Math.min(this.total * height, tallest)}px`;
    this.draw();
  }

  /** The pixels of the whole list beyond those of the element, and of the list as it would be. */
  get scale() {
    const view = this.element.clientHeight;
    const whole = this.total * height - view;
    return { view, whole, real: Math.min(this.total * height, tallest) - view };
  }

  reveal(number) {
    const { view, whole, real } = this.scale;
    if (whole <= 0) return;
    const top = (number - this.first) * height;
    const now = (this.element.scrollTop / real) * whole;
    if (top >= now && top + height <= now + view) return;
    // A step scrolls by a row, a jump puts the row in the middle.
    const wanted = top < now && now - top <= 2 * height ? top : top > now && top + height - now - view <= 2 * height ? top + height - view : top - view / 2;
    this.element.scrollTop = (Math.max(0, Math.min(whole, wanted)) / whole) * real;
  }

  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.drawNow();
    });
  }

  drawNow() {
    const { view, whole, real } = this.scale;
    if (view <= 0) return; // it is not in the page yet
    if (this.wanted !== undefined) this.reveal(this.wanted);
    this.wanted = undefined;
    const top = whole <= 0 ? 0 : (this.element.scrollTop / real) * whole;
    const start = Math.max(0, Math.floor(top / height) - 4);
    const end = Math.min(this.total, Math.ceil((top + view) / height) + 4);
    this.rows.style.transform = `translateY(${this.element.scrollTop - (top - start * height)}px)`;
    const rows = [];
    let isWaiting = false;
    for (let index = start; index < end; index++) {
      const entry = this.history.peek(this.first + index);
      isWaiting ||= entry === undefined;
      rows.push(this.row(this.first + index, entry));
    }
    this.rows.replaceChildren(...rows);
    this.element.setAttribute("aria-activedescendant", `event-${this.selected}`);
    this.element.removeAttribute("aria-busy");
    clearTimeout(this.timer);
    // What only flies past is not asked for.
    if (isWaiting) this.timer = setTimeout(() => this.load(start, end), 60);
  }

  load(start, end) {
    try {
      for (let index = start; index < end; index += 1) this.history.entry(this.first + index);
    } catch {
      // The event's panel shows why.
    }
  }

  row(number, entry) {
    const isChosen = number === this.selected;
    const attributes = {
      class: `event ${entry ? entry.source : ""}`, role: "option", id: `event-${number}`, "data-event": number, "aria-selected": String(isChosen),
      "aria-posinset": number - this.first + 1, "aria-setsize": this.total,
    };
    if (!entry) return h("div", attributes, h("span", { class: "number" }, count(number)), h("span", { class: "muted" }, "…"));
    const [kind, sign] = cause(entry);
    const bad = entry.notes.filter((note) => note.note === "dead-lettered").length;
    const retries = entry.notes.filter((note) => ["retried", "attempt-failed"].includes(note.note)).length;
    const acts = entry.notes.filter((note) => note.note === "acted").length;
    // The time that the effect took, on a scale of powers: 10 ms, 1 s and 1 min are a tenth, a half and all of the row.
    const time = this.history.duration(entry.effect, entry);
    const bar = time !== undefined && h("span", { class: "duration", "aria-hidden": "true" });
    if (bar) bar.style.width = `${Math.min(100, 8 * Math.log2(1 + time / 10))}%`;
    return h("div", attributes, bar,
      h("span", { class: "number" }, count(number)),
      h("span", { class: "what", dir: "auto" }, entry.source === "start" ? "start" : shown(caseName(entry.event, entry.type))),
      h("span", { class: "when" }, entry.time ? clock(entry.time) : ""),
      h("span", { class: "cause", title: kind }, h("span", { "aria-hidden": "true" }, sign), " ", line(entry, this.history)),
      h("span", { class: "badges" }, retries > 0 && h("span", { class: "badge warn" }, `${retries} failed`), bad > 0 && h("span", { class: "badge bad" }, "dead letter"),
        acts > 0 && h("span", { class: "badge" }, "operator")));
  }

  end() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
  }
}
