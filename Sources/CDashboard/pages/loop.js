// One loop: its events left, right its model after the chosen one with what that changed, and on top what it waits for now.

import { get, loopPath, query, readJSON, readModel } from "./api.js";
import { note, outcome, sentence } from "./causes.js";
import { none } from "./difference.js";
import { clock, command, count, counted, distance, h, moment, name, prose, shown, span } from "./dom.js";
import { caseName, effectPlace, History } from "./history.js";
import { badge } from "./loops.js";
import { oneAtATime, Recent } from "./recent.js";
import { Timeline } from "./timeline.js";
import { changesInWords, tree } from "./tree.js";
import { whence } from "./whence.js";

const interval = 5000;
/** The milliseconds after which a loop that is followed rests. */
const rest = 500;

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** The view. */
export function loop(main, id, parameters) {
  const view = new LoopView(main, id);
  view.begin(parameters);
  return view;
}

/** The parts of the view, and what they share: the history, the models that are here, and the chosen event. */
class LoopView {
  constructor(main, id) {
    [this.id, this.title, this.main] = [id, shown(id), main];
    [this.models, this.last, this.at, this.why] = [new Recent(), undefined, undefined, ""];
    [this.pictured, this.refreshed, this.received, this.closed] = [-Infinity, -Infinity, -Infinity, 0];
    this.refresh = oneAtATime(() => this.askState());
    this.requests = new AbortController();
    this.history = new History(id, () => this.draw());
    this.timeline = new Timeline(this.history, (number) => this.go(number));
    this.state = h("span", {});
    this.waits = h("div", { class: "waits" }, h("p", { class: "muted" }, "…"));
    this.problem = h("p", { class: "problem", role: "alert", hidden: true });
    this.slider = h("input", { type: "range", id: "slider", "aria-label": "Event", step: "1" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value), true));
    this.where = h("span", { class: "where" });
    this.live = h("a", { class: "button", href: this.address(), title: "Follow the newest event (End)" }, "Live");
    this.event = h("div", { class: "panel" });
    this.model = h("div", { class: "panel" });
    this.after = h("div", { class: "panel", hidden: true });
    this.reason = h("div");
  }

  begin(parameters) {
    this.read(parameters);
    this.send = h("a", { class: "button sends", href: `#/send/${encodeURIComponent(this.id)}` }, "Send an event…");
    this.main.append(
      h("div", { class: "title" }, h("h1", {}, name(this.id)), this.state, h("span", { class: "space" }), this.send),
      this.problem, h("section", { class: "panel", "aria-labelledby": "waits-title" }, h("h2", { id: "waits-title" }, "What it waits for now"), this.waits));
    this.open();
    this.refresh();
  }

  /** Asks for the newest model and for its event, and shows them. */
  async open() {
    this.isOpening = true;
    try {
      const newest = await readModel(this.id, undefined, this.requests.signal);
      this.problem.hidden = true;
      this.keep(newest.number, Promise.resolve(newest), newest.size);
      [this.last, this.history.newest] = [newest.number, newest.number];
      await this.history.wait(newest.number);
    } catch (error) {
      if (this.requests.signal.aborted) return;
      this.fail(error);
      this.isForbidden = error.status === 403;
      if (this.last === undefined) return;
    } finally {
      this.isOpening = false;
    }
    if (this.requests.signal.aborted) return;
    const arrows = [["←", "The event before (k)", -1], ["→", "The next event (j)", 1]].map(([sign, title, by]) =>
      h("button", { type: "button", title, "aria-label": title, onclick: () => this.step(by) }, sign));
    this.main.append(h("div", { class: "split" },
      h("section", { class: "left", "aria-labelledby": "events-title" }, h("h2", { id: "events-title" }, "Events"), this.timeline.element),
      h("section", { class: "right", "aria-label": "The chosen event and the model after it" },
        h("div", { class: "travel" }, arrows[0], this.slider, arrows[1], this.where, this.live), this.reason, this.event, this.model, this.after)));
    this.draw();
    this.wake();
  }

  fail(error) {
    this.problem.replaceChildren(...prose(error.message, this.id));
    this.problem.hidden = false;
    const isNew = error.code === "unknown-loop";
    this.send.href = `#/send/${encodeURIComponent(this.id)}${isNew ? "?begin=1" : ""}`;
    this.send.textContent = isNew ? "Send its first event…" : "Send an event…";
  }

  // MARK: Address

  read(parameters) {
    const at = parameters.get("at");
    this.at = at && /^\d+$/.test(at) ? Number(at) : undefined;
    this.why = parameters.get("why") ?? "";
  }

  address(at, why) {
    return `#/loop/${encodeURIComponent(this.id)}` + query({ at, why });
  }

  update(parameters) {
    this.read(parameters);
    if (this.last !== undefined) this.draw();
  }

  /** Shows an event; a slide leaves no trail in the browser's history. */
  go(number, isSlide = false) {
    const address = this.address(number === this.last && isSlide ? undefined : number);
    if (isSlide) history.replaceState(history.state, "", address);
    else history.pushState({}, "", address);
    this.update(new URLSearchParams(address.split("?")[1]));
  }

  step(by) {
    const number = this.chosen + by;
    if (number >= this.start && number <= this.last) this.go(number, true);
  }

  key(event) {
    const isList = document.activeElement === this.timeline.element;
    const by = { ArrowLeft: -1, k: -1, ArrowRight: 1, j: 1, ...(isList ? { ArrowUp: -1, ArrowDown: 1 } : {}) }[event.key];
    if (this.last === undefined || (by === undefined && !["Home", "End"].includes(event.key))) return false;
    if (by) this.step(by);
    else if (event.key === "Home") this.go(this.start, true);
    else this.go(this.last, true);
    return true;
  }

  get chosen() {
    return Math.max(this.start, Math.min(this.at ?? this.last, this.last));
  }

  /** The first event that is known. */
  get start() {
    return this.history.first ?? (this.history.first === null ? this.last : 0);
  }

  // MARK: Models

  keep(number, model, size) {
    return this.models.set(number, model, size);
  }

  /** The model directly after an event. */
  modelAt(number) {
    const known = this.models.get(number);
    if (known) return known;
    const model = readModel(this.id, number, this.requests.signal);
    model.then((found) => this.keep(number, model, found.size), () => this.models.delete(number));
    return this.keep(number, model, 0);
  }

  /** The same for the picture, which is given up when another one is wanted. */
  async modelFor(number, signal) {
    const known = this.models.get(number);
    if (known) return known;
    const found = await readModel(this.id, number, signal);
    this.keep(number, Promise.resolve(found), found.size);
    return found;
  }

  // MARK: Live

  /** Follows the loop, unless nobody sees it: a browser has few connections to one host. */
  wake() {
    if (document.hidden || this.stream || this.requests.signal.aborted) return;
    if (this.last !== undefined) this.listen();
    this.refresh();
  }

  listen() {
    clearTimeout(this.opening);
    this.stream?.close();
    this.stream = new EventSource(loopPath(this.id, "/models"));
    // One that was refused, while no coordinator was there or the loop was held, is not opened again by the browser.
    this.stream.onerror = () => {
      if (this.stream?.readyState !== EventSource.CLOSED || this.hasEnded) return;
      // One that was open for long begins anew.
      if (performance.now() - this.opened > 60_000) this.closed = 0;
      this.opened = undefined;
      clearTimeout(this.opening);
      this.opening = setTimeout(() => this.listen(), Math.min(60_000, 1000 * 2 ** this.closed++));
    };
    this.stream.onopen = () => {
      this.opened = performance.now();
      this.history.retry();
      this.draw();
    };
    this.stream.onmessage = (message) => this.receive(Number.parseInt(message.lastEventId, 10), message.data);
    this.stream.addEventListener("problem", () => this.refresh());
  }

  /** A page that nobody sees asks nothing. */
  sleep() {
    clearTimeout(this.timer);
    clearTimeout(this.opening);
    this.stream?.close();
    this.stream = undefined;
  }

  receive(number, text) {
    // Read when it is shown, for a busy loop has many that are not.
    let model;
    this.keep(number, { then: (done, failed) => (model ??= Promise.resolve({ model: readJSON(text), number })).then(done, failed), catch() {} }, text.length);
    if (number <= this.last) return;
    [this.last, this.closed, this.received] = [number, 0, performance.now()];
    // At once after a rest, and of a busy loop a few pictures each second.
    this.pending ??= setTimeout(() => {
      [this.pending, this.pictured] = [undefined, performance.now()];
      this.history.refresh(this.last);
      this.draw();
      this.refreshSoon();
    }, Math.max(0, 150 - (performance.now() - this.pictured)));
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), Math.max(0, 1000 - (performance.now() - this.refreshed)));
  }

  async askState() {
    clearTimeout(this.timer);
    const signal = this.requests.signal;
    if (signal.aborted) return;
    this.refreshed = performance.now();
    if (this.last === undefined && !this.isOpening && !this.isForbidden) this.open();
    const [waits, found] = await Promise.allSettled([
      get(loopPath(this.id, "/waits"), signal), get("/loops" + query({ prefix: this.id, limit: 1 }), signal)]);
    if (signal.aborted) return;
    const summary = found.value?.loops.find((each) => each.loop === this.id);
    this.state.replaceChildren(summary ? badge(summary.state) : "", " ", summary?.lastEvent ? h("span", { class: "muted" }, summary.state === "ended" ? distance(summary.lastEvent) : `last event ${distance(summary.lastEvent)}`) : "");
    this.live.textContent = summary?.state === "ended" || summary?.state === "held" ? "Newest" : "Live";
    if (waits.value) this.showWaits(waits.value, summary);
    else this.waits.replaceChildren(h("p", { class: "muted" }, summary?.state === "ended" ? "Nothing: the loop has ended." : prose(waits.reason.message, this.id)));
    this.hasEnded = summary?.state === "ended";
    if (this.stream?.readyState === EventSource.CLOSED && ["running", "idle"].includes(summary?.state)) this.listen();
    const isOver = this.last === undefined ? this.isForbidden && waits.reason?.status === 403 : this.hasEnded || waits.reason?.status === 403;
    if (!document.hidden && !isOver) this.timer = setTimeout(() => this.refresh(), interval);
  }

  showWaits(waits, summary) {
    const rows = waits.waits.slice(0, 8).map((wait) => {
      const place = effectPlace(wait.effect);
      return h("li", {}, h("span", { dir: "auto" }, prose(wait.sentence, this.id)), " ",
        h("span", { class: "muted" }, "Since ", h("a", { href: this.address(place?.event) }, `event ${place?.event}`), `, ${span(wait.ageMilliseconds)} ago`,
          wait.until ? [`; until ${clock(wait.until)}, ${distance(wait.until)}`] : "", "."));
    });
    const rest = waits.waits.length - rows.length;
    this.waits.replaceChildren(h("p", { class: summary?.state === "held" ? "bad" : undefined }, prose(waits.sentence, this.id)),
      ...(rows.length ? [h("ul", {}, rows)] : []), ...(rest > 0 ? [h("p", { class: "muted" }, `And ${rest}${waits.more ? " or more" : ""} others: `, command("mobius effects --why", this.id))] : []));
  }

  // MARK: Pictures

  draw() {
    if (this.last === undefined) return;
    const number = this.chosen;
    const entry = this.history.first === null ? null : this.tryEntry(number);
    this.timeline.show(this.start, this.last, number);
    for (const [key, value] of [["min", this.start], ["max", this.last]]) this.slider[key] = value;
    this.slider.value = number;
    this.slider.setAttribute("aria-valuetext", `event ${number} of ${this.last}`);
    this.where.textContent = `${count(number)} of ${count(this.last)}`;
    if (this.at === undefined) this.live.setAttribute("aria-current", "true");
    else this.live.removeAttribute("aria-current");
    this.showEvent(number, entry);
    this.showReason(number);
    const key = `${number}/${this.start}`;
    if (this.drawn === key || (this.drawing?.key === key && !this.drawing.signal.aborted)) return;
    this.drawing?.abort();
    this.drawing = Object.assign(new AbortController(), { key });
    this.picture(number, this.drawing);
  }

  /** Shows a model and what its event changed, with one request at a time, until another picture is wanted. */
  async picture(number, drawing) {
    const signal = drawing.signal;
    const model = async (number) => (await Promise.allSettled([this.modelFor(number, signal)]))[0];
    // A coordinator replays the loop for a model of the past, so none is asked for that a slide only passes.
    if (!this.models.has(number)) await pause(120);
    if (signal.aborted) return;
    const now = await model(number);
    if (signal.aborted) return;
    let before = {};
    if (number > this.start) {
      if (this.at === undefined && now.value && performance.now() - this.received < rest && !this.models.has(number - 1)) {
        // Of a busy loop models are missing: it is compared with the last picture until it rests.
        this.showModel(number, now, this.seen);
        await pause(rest);
        if (signal.aborted) return;
      }
      let isThere = false;
      const earlier = model(number - 1).finally(() => (isThere = true));
      // The model that is here is shown until the other one is.
      await Promise.race([earlier, pause(200)]);
      if (signal.aborted) return;
      if (!isThere && this.seen?.number !== number) this.showModel(number, now);
      before = await earlier;
      if (signal.aborted) return;
    }
    this.drawn = now.value ? drawing.key : undefined;
    drawing.abort();
    this.showModel(number, now, before);
  }

  tryEntry(number) {
    try {
      const entry = this.history.entry(number);
      // The names of effects that caused it.
      const cause = effectPlace(entry?.effect);
      if (cause?.loop === this.id && cause.event >= this.start) this.history.entry(cause.event);
      if (entry) this.problem.hidden = true;
      return entry;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  showEvent(number, entry) {
    const title = h("h2", {}, `Event ${count(number)} `, entry && h("span", { class: "case", dir: "auto" }, entry.source === "start" ? "start" : shown(caseName(entry.event, entry.type))));
    if (!entry) {
      const why = entry === undefined ? "Loading…" : this.history.first === null ? "The coordinator keeps no journal on disk, so there is no history." : "This event is not kept: a coordinator keeps more with --keep-history.";
      return this.replaceEvent([title, h("p", { class: "muted" }, why)], []);
    }
    const go = (event) => this.address(event);
    const content = entry.event !== undefined ? tree("event", none, entry.event) : entry.source !== "start" && h("p", { class: "muted" }, `Its content is not shown: ${count(entry.size ?? 0)} bytes.`);
    const effects = entry.effects.map((effect) => {
      const end = outcome(effect, entry, this.history, this.last);
      const words = end.words ? [" ", end.number ? h("a", { href: go(end.number) }, end.words) : end.words, end.time === undefined ? "" : ` after ${span(end.time)}`] : effect.due ? ` is due ${clock(effect.due)}, ${distance(effect.due)}` : " has not ended, as far as is shown here";
      return h("li", {}, h("span", { class: "case", dir: "auto" }, shown(caseName(effect.effect, effect.type))), h("span", { class: "muted" }, words),
        effect.effect !== undefined && h("details", {}, h("summary", {}, "content"), tree("effect", none, effect.effect)));
    });
    const notes = entry.notes.map((each) => {
      const [level, words] = note(each, this.history, go);
      return h("li", { class: level || undefined }, words, each.time && [" ", h("span", { class: "muted" }, moment(each.time))]);
    });
    this.replaceEvent([title, h("p", {}, sentence(entry, this.history, go), " ", entry.time && h("time", { class: "muted", datetime: entry.time }, clock(entry.time, true))), content].filter(Boolean), [
      effects.length > 0 && h("h2", {}, `Effects that event ${count(number)} asked for`), effects.length > 0 && h("ul", { class: "effects" }, effects),
      entry.effectCount > effects.length && h("p", { class: "muted" }, `And ${count(entry.effectCount - effects.length)} more effects.`),
      notes.length > 0 && h("details", { open: notes.some((each) => each.className) }, h("summary", {}, `${counted(notes.length, "note")}${entry.isCut ? " or more" : ""} before the next event`), h("ul", {}, notes))].filter(Boolean));
  }

  /** Shows an event, unless it is shown: what a reader has opened stays open. */
  replaceEvent(event, after) {
    const text = [...event, ...after].map((child) => child.textContent).join("\n");
    if (this.eventText === text) return;
    this.eventText = text;
    this.event.replaceChildren(...event);
    this.after.replaceChildren(...after);
    this.after.hidden = !after.length;
  }

  showModel(number, now, before) {
    const raw = h("a", { href: loopPath(this.id) + query({ at: number }), target: "_blank", rel: "noreferrer" }, "JSON");
    const title = h("h2", {}, `Model after event ${count(number)} `);
    if (!now.value) return this.model.replaceChildren(title, h("p", { class: "problem" }, prose(now.reason.message, this.id)));
    const hasBefore = before?.value !== undefined;
    this.seen = { value: now.value, number };
    const old = hasBefore ? before.value.model : none;
    const words = !before ? "comparing with the model before…" : hasBefore ? changesInWords(old, now.value.model, before.number) : number > this.start ? `The model before is not known: ${shown(before.reason?.message ?? "")}` : "the first that is known";
    this.model.replaceChildren(h("div", { class: "title" }, title, h("span", { class: "muted" }, words), h("span", { class: "space" }), raw),
      tree("model", old, now.value.model, (pointer) => this.address(number, pointer || "/")));
  }

  showReason(number) {
    const key = this.why && `${number} ${this.why}`;
    if (this.explained === key) return;
    this.explained = key;
    this.search?.abort();
    if (!key) return this.reason.replaceChildren();
    this.search = new AbortController();
    this.reason.replaceChildren(whence({
      pointer: this.why === "/" ? "" : this.why, at: number, first: this.start, history: this.history, models: (event) => this.modelAt(event),
      go: (event) => this.address(event), close: this.address(this.at), signal: this.search.signal,
    }));
  }

  end() {
    this.sleep();
    clearTimeout(this.pending);
    this.requests.abort();
    this.drawing?.abort();
    this.search?.abort();
    this.history.end();
    this.timeline.end();
  }
}
