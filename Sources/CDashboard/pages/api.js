// Asks the server that this page came from. Rights are decided there; the page shows what it is told.

/** The reason why a request has no result: the server's problem document, or that it could not be reached. */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? "No answer.");
    this.status = status;
    this.code = problem.code ?? "";
    this.title = problem.title ?? "";
    this.number = problem.number;
  }
}

/** A number that JavaScript would change, such as one of 64 bits, as it stands in the JSON. */
export class Exact {
  constructor(source) {
    this.source = source;
  }
  toString() {
    return this.source;
  }
  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.source) : Number(this.source);
  }
}

/** Reads JSON without changing a number. */
export function readJSON(text) {
  try {
    return JSON.parse(text, (_, value, context) =>
      typeof value === "number" && context?.source && String(value) !== context.source ? new Exact(context.source) : value);
  } catch (error) {
    // So deep that the walk over it has no stack left.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** The path of a loop, or of something of it. */
export function loopPath(loop, part = "") {
  return `/loops/${encodeURIComponent(loop)}${part}`;
}

/** The query with these parameters, without those that are empty. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  // Half of a pair of UTF-16, which JSON may contain, has no place in an address.
  return given.length ? "?" + given.map(([key, value]) => `${key}=${encodeURIComponent(String(value).toWellFormed())}`).join("&") : "";
}

/** Sends a request and returns the response and its text; throws a `Refusal`. */
export async function ask(path, options = {}) {
  let response, text;
  try {
    response = await fetch(path, { cache: "no-store", credentials: "same-origin", redirect: "error", ...options });
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { code: "unreachable", detail: "The server of this page does not answer: is mobius serve running?" });
  }
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && (response.status === 204 || type.startsWith("application/json"))) return { response, text };
  // A proxy's page is for nobody.
  let problem = { detail: `The server of this page, or a proxy before it, answers with status ${response.status}, and not as mobius serve does.` };
  if (type.startsWith("application/problem+json")) problem = readJSON(text);
  const refusal = new Refusal(response.status, problem);
  if (response.status === 401) window.dispatchEvent(new CustomEvent("token-needed", { detail: refusal }));
  throw refusal;
}

/** The JSON at a path. */
export async function get(path, signal) {
  return readJSON((await ask(path, { signal })).text);
}

/** The model of a loop now, or directly after an event, with its number. */
export async function readModel(loop, at, signal) {
  const { response, text } = await ask(loopPath(loop) + query({ at }), { signal });
  return {
    model: readJSON(text), size: text.length, number: Number(response.headers.get("event-number")),
    isHeld: response.headers.get("loop-state") === "held",
  };
}
