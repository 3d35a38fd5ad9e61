// The fleet at a glance: what needs a person first, then rates, pools and workers.

import { get, query } from "./api.js";
import { clock, command, count, counted, h, moment, morph, name, prose, shown, span, sparkline, table } from "./dom.js";

const interval = 2000;
/** A quarter of an hour of what this page has seen, the newest last. */
const samples = [];

function note(status) {
  const last = samples.at(-1);
  const now = { time: performance.now(), events: status.events ?? 0, pending: status.pendingEffects };
  now.running = status.pools.reduce((sum, pool) => sum + pool.running, 0);
  const isNext = last && now.time - last.time < 3 * interval;
  now.rate = isNext ? Math.max(0, (now.events - last.events) / ((now.time - last.time) / 1000)) : undefined;
  samples.push(now);
  if (samples.length > 900_000 / interval) samples.shift();
}

/** What needs a person, each with the command that helps; those that stop work first. */
function troubles(status) {
  const found = [];
  const held = status.heldLoops ?? status.loops.filter((loop) => loop.isHeld).length;
  if (held) {
    found.push(["bad", [h("a", { href: "#/loops?state=held" }, `${counted(held, "loop is", "loops are")} held`),
      ": an event ended the process each time that it was applied, and waits for a decision."], "mobius quarantine list"]);
  }
  for (const pool of status.pools) {
    if (pool.pause) {
      const by = pool.pause.by ? ` by ${shown(pool.pause.by)}` : "";
      const why = pool.pause.why ? `: ${shown(pool.pause.why)}` : "";
      found.push(["warn", ["Pool ", name(pool.pool), ` is paused${by} since ${clock(pool.pause.since)}${why}`],
        "mobius pools resume", pool.pool]);
    } else if (!pool.workers && pool.waiting) {
      found.push(["bad", ["No worker serves pool ", name(pool.pool), ": ", h("a", { href: "#/effects" + query({ pool: pool.pool }) }, counted(pool.waiting, "effect waits", "effects wait")), "."],
        "mobius effects --pool", pool.pool]);
    }
  }
  if (status.deadLetters) {
    found.push(["bad", [h("a", { href: "#/letters" }, `${counted(status.deadLetters, "effect has", "effects have")} failed for good`), ` and ${status.deadLetters === 1 ? "is" : "are"} kept as dead letters.`],
      "mobius dead list"]);
  }
  for (const worker of status.workers.filter((worker) => worker.silenceMilliseconds > 5000)) {
    found.push(["warn", ["Worker ", label(worker), ` was last heard ${span(worker.silenceMilliseconds)} ago.`], "mobius status --watch"]);
  }
  return found;
}

function label(worker) {
  return name(worker.name || worker.worker.slice(0, 8));
}

function attention(status) {
  const found = troubles(status);
  if (!found.length) return h("p", { class: "calm" }, "✓ Nothing needs a person.");
  return h("ul", { class: "troubles" }, found.map(([level, sentence, help, word]) =>
    h("li", { class: level }, h("span", { class: "sign", "aria-hidden": "true" }, level === "bad" ? "✕" : "!"),
      h("span", { class: "unseen" }, level === "bad" ? "Serious: " : "Note: "), h("span", {}, sentence), command(help, word))));
}

function tile(title, value, key, unit) {
  const seen = samples.map((sample) => sample[key]).filter((value) => value !== undefined);
  const most = seen.length ? Math.max(...seen) : 0;
  const words = `${title}, as this page has seen it: at most ${count(Math.round(most * 10) / 10)}`;
  return h("div", { class: "tile" }, h("h3", {}, title), h("p", { class: "figure" }, value, unit && h("small", {}, ` ${unit}`)),
    seen.length > 1 ? sparkline(seen, words) : h("span", { class: "spark" }));
}

function pools(status) {
  const rows = status.pools.toSorted((one, other) => one.pool.localeCompare(other.pool)).map((pool) => {
    const slots = pool.running + pool.credit;
    const bar = h("span", { class: "bar-cell" },
      h("meter", { min: "0", max: String(Math.max(1, slots)), value: pool.running, "aria-label": `Slots used in ${shown(pool.pool)}` }),
      `${count(pool.running)} of ${count(slots)}`);
    const state = pool.pause ? "paused" : !pool.workers && pool.waiting ? "no worker" : pool.workers ? "served" : "idle";
    return h("tr", { class: state === "no worker" ? "bad" : state === "paused" ? "warn" : undefined },
      h("th", { scope: "row" }, name(pool.pool)), h("td", {}, state), h("td", { class: "number" }, count(pool.workers)),
      h("td", {}, bar), h("td", { class: "number" }, count(pool.waiting)),
      h("td", { class: "number" }, pool.oldestMilliseconds === undefined ? "–" : span(pool.oldestMilliseconds)));
  });
  return rows.length ? table("Pools", ["Pool", "State", "#Workers", "Slots used", "#Waiting", "#Oldest"], rows)
    : h("p", { class: "muted" }, "No pool is in use: no effect went to one yet, and no worker is there.");
}

function workers(status) {
  const rows = status.workers.toSorted((one, other) => (one.name || one.worker).localeCompare(other.name || other.worker)).map((worker) =>
    h("tr", {}, h("th", { scope: "row" }, label(worker)), h("td", {}, name(worker.pools.join(", "))),
      h("td", { class: "number" }, `${count(worker.running)} of ${count(worker.running + worker.credit)}`),
      h("td", {}, worker.isDraining ? "drains" : "works"), h("td", { class: "number" }, `${span(worker.silenceMilliseconds)} ago`),
      h("td", {}, name(worker.build, "bdi", { class: "build" }))));
  return rows.length ? table("Workers", ["Worker", "Pools", "#Runs", "State", "#Last heard", "Build"], rows)
    : h("p", { class: "muted" }, "No worker is there.");
}

function facts(status) {
  const rows = [["Program", name(status.program)], ["Build", name(status.build, "bdi", { class: "build" })], ["Running since", moment(status.started)],
    ["Journal", name(status.journal, "bdi", { class: "build" })], ["Epoch", String(status.epoch)], ["Events applied", count(status.events ?? 0)],
    ["Largest event", `${count(status.maximumPayload)} bytes`]];
  return h("dl", { class: "facts" }, rows.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value))));
}

function page(status) {
  const rate = samples.at(-1)?.rate;
  return h("div", { class: "overview" },
    h("h1", {}, name(status.program)),
    h("section", { "aria-label": "Needs a person", class: "panel" }, h("h2", {}, "Needs a person"), attention(status)),
    h("section", { "aria-label": "Rates", class: "tiles" },
      tile("Events", rate === undefined ? "…" : count(Math.round(rate * 10) / 10), "rate", "per second"),
      tile("Running effects", count(samples.at(-1)?.running ?? 0), "running"),
      tile("Pending effects", h("a", { href: "#/effects" }, count(status.pendingEffects)), "pending"),
      h("div", { class: "tile" }, h("h3", {}, "Loops"), h("p", { class: "figure" }, h("a", { href: "#/loops" }, count(status.loopCount))),
        h("span", { class: "muted" }, `${count(status.heldLoops ?? 0)} held`)),
      h("div", { class: "tile" }, h("h3", {}, "Dead letters"), h("p", { class: "figure" }, h("a", { href: "#/letters" }, count(status.deadLetters))),
        h("span", { class: "muted" }, "effects that failed for good"))),
    h("section", { "aria-labelledby": "pools-title", class: "panel" }, h("h2", { id: "pools-title" }, "Pools"), pools(status)),
    h("section", { "aria-labelledby": "workers-title", class: "panel" }, h("h2", { id: "workers-title" }, "Workers"), workers(status)),
    h("section", { "aria-labelledby": "fleet-title", class: "panel" }, h("h2", { id: "fleet-title" }, "Coordinator"), facts(status)));
}

/** The view. */
export function overview(main) {
  const place = h("div", { class: "whole" }, h("p", { class: "muted" }, "Loading…"));
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  main.append(problem, place);
  let timer, isOver = false;
  async function poll() {
    clearTimeout(timer);
    try {
      const status = await get("/status");
      if (isOver) return;
      note(status);
      const fresh = page(status);
      if (place.firstElementChild?.className === "overview") morph(place.firstElementChild, fresh);
      else place.replaceChildren(fresh);
      problem.hidden = true;
    } catch (error) {
      if (isOver) return;
      problem.replaceChildren(...prose(error.message));
      problem.hidden = false;
      if (error.status === 403) return; // asking again changes nothing
    }
    // A page that nobody sees asks nothing.
    if (!isOver && !document.hidden) timer = setTimeout(poll, interval);
  }
  poll();
  return {
    title: "Overview",
    update() {},
    sleep: () => clearTimeout(timer),
    wake: poll,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
