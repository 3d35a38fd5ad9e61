// The history of one loop, of which only the parts in use are here, however long it is.

import { ask, loopPath, query, readJSON } from "./api.js";
import { oneAtATime, Recent } from "./recent.js";

/** Events that are asked for together. */
const part = 64;
/** Pages that are read at once: an event may have any number of notes. */
const pages = 8;

/** The event number and the index of an effect, such as `order/1/3/0`, and its loop. */
export function effectPlace(id) {
  const [, loop, event, index] = /^(.*)\/(\d+)\/(\d+)$/s.exec(id ?? "") ?? [];
  return event === undefined ? undefined : { loop, event: Number(event), index: Number(index) };
}

/** The name of an enum's case in JSON; of another value its type. */
export function caseName(value, type) {
  const keys = value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];
  const found = keys.length === 1 ? keys[0] : type ?? "";
  return found.length > 120 ? found.slice(0, 120) + "…" : found;
}

export class History {
  /** The first event that is kept, once it is known; `null` when none is. */
  first = undefined;
  /** The last event. */
  newest = 0;

  constructor(loop, onChange) {
    this.loop = loop;
    this.parts = new Recent();
    this.onChange = onChange;
    this.requests = new AbortController();
    this.follow = oneAtATime(() => this.readEnd());
  }

  /** The event with its notes; `undefined` while it is on its way, `null` when it is not kept. */
  entry(number) {
    const known = this.part(number);
    if (known.error) throw known.error;
    const entry = known.entries.get(number);
    if (entry) return entry;
    if (known.read.some(([from, to]) => from <= number && number <= to)) return null;
    this.load(number, known);
    return undefined;
  }

  /** What is here already. */
  peek(number) {
    return this.parts.peek(Math.floor(number / part))?.entries.get(number);
  }

  /** The event, when it has come. */
  async wait(number) {
    for (;;) {
      const entry = this.entry(number);
      if (entry !== undefined) return entry;
      await this.part(number).done;
    }
  }

  /** Reads what the loop has got up to this event; what is known is shown meanwhile. */
  refresh(number) {
    this.newest = number;
    this.follow();
  }

  /** Reads on from the event that was the last, to which notes may have come. */
  async readEnd() {
    const [before, newest] = [this.followed ?? this.newest, this.newest];
    this.followed = newest;
    this.retry();
    for (const from of new Set([before, Math.max(before, Math.floor(newest / part) * part)])) {
      const known = this.part(from);
      while (known.done) await known.done;
      await this.load(from, known, true);
    }
  }

  /** Asks again for what could not be read, when it is next shown. */
  retry() {
    for (const key of this.parts.keys()) this.parts.peek(key).error = undefined;
  }

  part(number) {
    const index = Math.floor(number / part);
    return this.parts.get(index) ?? this.parts.set(index, { index, entries: new Map(), read: [], size: 0, done: undefined }, 0);
  }

  /** Reads a part from its beginning, or from an event on where its beginning is here. */
  load(number, known, isEnd = false) {
    const from = isEnd || known.read.length || known.entries.size ? number : known.index * part;
    known.done ??= this.read(from, known).catch((error) => (known.error = error)).finally(() => {
      known.done = undefined;
      if (this.requests.signal.aborted) return;
      this.parts.set(known.index, known, known.size);
      this.onChange();
    });
    return known.done;
  }

  async read(from, known) {
    const to = known.index * part + part - 1;
    // What comes while this is read may be missing.
    const newest = this.newest;
    let after, page = 0, last = from;
    const fresh = new Map();
    do {
      const { text } = await ask(loopPath(this.loop, "/history") + query({ from: after ? undefined : from, to, after, limit: 256 }), { signal: this.requests.signal });
      const answer = readJSON(text);
      this.first = answer.first ?? null;
      for (const entry of answer.entries) {
        last = entry.sequence;
        if (entry.kind === "event") fresh.set(last, { ...entry, notes: [] });
        else fresh.get(last)?.notes.push(entry);
      }
      known.size += text.length;
      after = answer.next;
      page += 1;
    } while (after && page < pages);
    // The rest of this event's notes is not here; the next event is asked for when it is shown.
    if (after && fresh.has(last)) fresh.get(last).isCut = true;
    for (const [number, entry] of fresh) known.entries.set(number, entry);
    known.read.push([from, after ? last : Math.min(to, newest)]);
  }

  /** The effect that was asked for, if its event is here. */
  effect(id) {
    const place = effectPlace(id);
    if (!place || place.loop !== this.loop) return undefined;
    return this.peek(place.event)?.effects.find((effect) => effect.id === id);
  }

  /** The name of an effect's case, or its id. */
  effectName(id) {
    const effect = this.effect(id);
    return effect ? caseName(effect.effect, effect.type) : id;
  }

  /** The milliseconds between the request for an effect and an entry, if both are here. */
  duration(id, entry) {
    const begun = this.peek(effectPlace(id)?.event)?.time;
    return begun && entry.time && effectPlace(id).loop === this.loop ? new Date(entry.time) - new Date(begun) : undefined;
  }

  end() {
    this.requests.abort();
  }
}
