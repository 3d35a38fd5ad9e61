// Where events come from and what became of effects, in sentences for people.

import { h, name, shown, span } from "./dom.js";
import { caseName, effectPlace } from "./history.js";

/** The kinds of causes: a short name and a sign that needs no colour. */
const kinds = {
  start: ["start", "◇"], outside: ["sender", "→"], report: ["worker", "⚙"], failure: ["failure", "✕"], timer: ["timer", "◷"],
  loop: ["loop", "∞"], answer: ["answer", "↩"],
};

/** The short name and the sign of an entry's cause. */
export function cause(entry) {
  return kinds[entry.source] ?? [shown(entry.source), "·"];
}

/** The number of an attempt such as `1.3`, without the run that made it. */
export function attempt(entry) {
  const number = Number(String(entry.attempt ?? "").split(".").at(-1));
  return number ? `attempt ${number & 0xfffff}` : "";
}

/** A link to an effect's event. */
function link(id, history, go) {
  const place = effectPlace(id);
  const label = name(history.effectName(id));
  if (!place) return label;
  if (place.loop === history.loop) return h("a", { href: go(place.event), title: shown(id) }, label);
  return h("a", { href: `#/loop/${encodeURIComponent(place.loop)}?at=${place.event}`, title: shown(id) }, name(`${place.loop}, event ${place.event}`));
}

/** The cause of an event in one line of text. */
export function line(entry, history) {
  const effect = entry.effect && shown(history.effectName(entry.effect));
  const time = history.duration(entry.effect, entry);
  const took = time === undefined ? "" : `, after ${span(time)}`;
  const number = attempt(entry);
  switch (entry.source) {
    case "start": return "the loop began";
    case "outside": return `outside, key ${shown(entry.key ?? "")}`;
    case "report": return `from ${effect}${number && number !== "attempt 1" ? `, ${number}` : ""}${took}`;
    case "failure": return `${effect} failed for good${took}`;
    case "timer": return `timer ${effect}${took}`;
    case "loop": return `from loop ${shown(effectPlace(entry.effect)?.loop ?? "")}`;
    case "answer": return `answer to ${effect}${took}`;
    default: return shown(entry.source);
  }
}

/** The cause of an event as a sentence with links; in a row of causes the event that asked for the effect comes next anyway. */
export function sentence(entry, history, go, isInRow = false) {
  const effect = entry.effect && link(entry.effect, history, go);
  const time = history.duration(entry.effect, entry);
  const took = time === undefined ? "" : `, ${span(time)} after it was asked for`;
  const place = effectPlace(entry.effect);
  const asked = place?.loop === history.loop && !isInRow ? [", which event ", h("a", { href: go(place.event) }, String(place.event)), " asked for"] : "";
  const number = attempt(entry);
  switch (entry.source) {
    case "start": return ["The loop began."];
    case "outside": return ["A sender from outside sent it under the key ", name(entry.key ?? "", "code"), "."];
    case "report": return ["The worker that ran effect ", effect, number && ` (${number}${entry.report > 1 ? `, report ${entry.report}` : ""})`, " reported it", took, asked, "."];
    case "failure": return ["Effect ", effect, " failed for good", took, asked, "."];
    case "timer": return ["The timer ", effect, " was due", took, asked, "."];
    case "loop": return ["Another loop sent it: ", effect, "."];
    case "answer": return ["It is the answer to ", effect, took, asked, "."];
    default: return [shown(entry.source), "."];
  }
}

/** A note as a sentence with links, and how serious it is. */
export function note(entry, history, go) {
  const effect = entry.effect ? link(entry.effect, history, go) : "the loop";
  const why = entry.reason ? `: ${shown(entry.reason)}` : "";
  const worker = entry.worker ? [" on worker ", name(entry.worker)] : "";
  const number = attempt(entry);
  switch (entry.note) {
    case "ended": return ["", ["Effect ", effect, " ended without an event."]];
    case "started": return ["", ["Effect ", effect, ", which runs at most once, was given to a worker."]];
    case "answered": return [why ? "warn" : "", ["The loop that ", effect, why ? " asked refused its event" : " asked took its event", why, "."]];
    case "retried": return ["warn", ["Effect ", effect, ` failed ${entry.failures === 1 ? "once" : `${entry.failures} times`} and is tried again`, why, "."]];
    case "dead-lettered": return ["bad", ["Effect ", effect, " failed for good and is a dead letter", why, "."]];
    case "requeued": return ["", ["An operator retried the dead letter ", effect, "."]];
    case "loop-ended": return ["", ["The loop ended", entry.effect ? [", as ", effect, " asked"] : "", "."]];
    case "dropped": return ["warn", ["An operator dropped the dead letter ", effect, "."]];
    case "attempt-failed": return ["warn", ["Effect ", effect, `: ${number || "an attempt"} failed`, worker, why, "."]];
    case "cancelled": return ["", ["Effect ", effect, " was cancelled by ", entry.by ? link(entry.by, history, go) : "another one", "."]];
    case "asked": return ["", ["It was asked for by ", name(entry.askedBy ?? ""), "."]];
    case "acted": return ["warn", [entry.askedBy ? name(entry.askedBy) : "An operator", ` asked to ${shown(entry.act ?? "act on")} `, effect, why, "."]];
    default: return ["", [shown(entry.note), " ", effect, why, "."]];
  }
}

/** What became of an effect, as far as the events that are here tell. */
export function outcome(effect, entry, history, last) {
  for (let number = entry.sequence; number <= Math.min(last, entry.sequence + 64); number++) {
    const later = history.peek(number);
    if (!later) break;
    if (later.ends === effect.id) return { number, words: `ended with event ${number} (${shown(caseName(later.event, later.type))})`, time: history.duration(effect.id, later) };
    const notes = later.notes.filter((each) => each.effect === effect.id);
    const final = notes.find((each) => ["ended", "dead-lettered"].includes(each.note));
    if (final) {
      const isCancelled = notes.some((each) => each.note === "cancelled");
      return { words: final.note === "dead-lettered" ? "failed for good: a dead letter" : isCancelled ? "cancelled" : "ended without an event" };
    }
  }
  return {};
}
