// Compares two models.

import { Exact } from "./api.js";

/** No value: the key is not there. */
export const none = Symbol("none");

const known = new WeakMap();

/** Whether a value has parts of its own. */
export function isBranch(value) {
  return typeof value === "object" && value !== null && !(value instanceof Exact);
}

/** Whether two values are the same, whatever the order of their keys. */
export function same(before, after) {
  if (before === after) return true;
  if (before instanceof Exact && after instanceof Exact) return before.source === after.source;
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return false;
  const last = known.get(after);
  if (last?.before === before) return last.isSame;
  let isSame;
  try {
    const keys = Object.keys(after);
    isSame = keys.length === Object.keys(before).length && keys.every((key) => Object.hasOwn(before, key) && same(before[key], after[key]));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    isSame = false; // too deep to tell
  }
  known.set(after, { before, isSame });
  return isSame;
}

/** The parts of two values side by side: key, before and after, either of which may be `none`. */
export function parts(before, after) {
  const [old, fresh] = [isBranch(before) ? before : {}, isBranch(after) ? after : {}];
  if (Array.isArray(old) && Array.isArray(fresh)) return elements(old, fresh);
  const found = Object.keys(fresh).map((key) => [key, Object.hasOwn(old, key) ? old[key] : none, fresh[key]]);
  for (const key of Object.keys(old)) if (!Object.hasOwn(fresh, key)) found.push([key, old[key], none]);
  return found;
}

/** Elements side by side: what was put in or taken out is no change of all that follow. */
function elements(old, fresh) {
  const found = [];
  let [lost, made] = [[], []];
  const close = () => {
    for (let index = 0; index < Math.max(lost.length, made.length); index++) {
      const [from, to] = [lost[index], made[index]];
      found.push([to ?? from, from === undefined ? none : old[from], to === undefined ? none : fresh[to]]);
    }
    [lost, made] = [[], []];
  };
  for (const [from, to] of steps(old, fresh)) {
    if (from === undefined) made.push(to);
    else if (to === undefined) lost.push(from);
    else {
      close();
      found.push([to, old[from], fresh[to]]);
    }
  }
  close();
  return found;
}

/** Elements put in and taken out, beyond which those of the same place are compared. */
const farthest = 200;

/** The shortest way from one list to another (Myers, 1986): places in the old and in the new one, of which one may be missing. */
function steps(old, fresh) {
  const [n, m] = [old.length, fresh.length];
  const trail = [];
  let ends = new Int32Array(2 * farthest + 3);
  const middle = farthest + 1;
  for (let distance = 0; distance <= farthest; distance++) {
    trail.push(ends.slice());
    for (let k = -distance; k <= distance; k += 2) {
      const isDown = k === -distance || (k !== distance && ends[middle + k - 1] < ends[middle + k + 1]);
      let x = isDown ? ends[middle + k + 1] : ends[middle + k - 1] + 1;
      while (x < n && x - k < m && same(old[x], fresh[x - k])) x++;
      ends[middle + k] = x;
      if (x >= n && x - k >= m) return back(trail, middle, n, m);
    }
  }
  return Array.from({ length: Math.max(n, m) }, (_, index) => [index < n ? index : undefined, index < m ? index : undefined]);
}

function back(trail, middle, n, m) {
  const found = [];
  let [x, y] = [n, m];
  for (let distance = trail.length - 1; x > 0 || y > 0; distance--) {
    const [ends, k] = [trail[distance], x - y];
    const isDown = k === -distance || (k !== distance && ends[middle + k - 1] < ends[middle + k + 1]);
    const start = distance === 0 ? 0 : isDown ? ends[middle + k + 1] : ends[middle + k - 1] + 1;
    while (x > start) found.push([--x, --y]);
    if (distance > 0) found.push(isDown ? [undefined, --y] : [--x, undefined]);
  }
  return found.reverse();
}

/** The number of values that were added, removed or changed, up to a limit. */
export function changes(before, after, limit = 1000) {
  if (same(before, after)) return 0;
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) return 1;
  let sum = 0;
  for (const [, old, fresh] of parts(before, after)) {
    sum += old === none || fresh === none ? 1 : changes(old, fresh, limit - sum);
    if (sum >= limit) break;
  }
  return sum;
}

/** The value at a JSON pointer (RFC 6901), or `none`. */
export function valueAt(model, pointer) {
  let value = model;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isBranch(value) || !Object.hasOwn(value, key)) return none;
    value = value[key];
  }
  return value;
}

/** The pointer to a part. */
export function pointerTo(pointer, key) {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
