// What the program says of itself: its kinds of loops, and the events that they take.

import { get } from "./api.js";

let known;

/** The kinds of loops of a coordinator with several programs; empty for a single one. */
export async function kinds() {
  return (await definitions()).kinds;
}

/** An example of each event that a loop takes, by the event's name. */
export async function examples(loop) {
  const { kinds, schemas } = await definitions();
  const kind = kinds.find((kind) => loop === kind || loop.startsWith(kind + "/"));
  const event = schemas[kind ? `${kind}.Event` : "Event"] ?? {};
  const found = [];
  for (const each of event.oneOf ?? event.anyOf ?? [event]) {
    for (const example of each.examples ?? []) found.push({ name: Object.keys(Object(example))[0] ?? "event", example });
  }
  return found;
}

async function definitions() {
  known ??= get("/openapi.json").then((document) => {
    const event = document.components.schemas.Event;
    const schemas = event.$defs ?? {};
    const root = event.$ref ? event.$ref.split("/").at(-1) : undefined;
    return { kinds: event["x-kinds"] ?? [], schemas: { Event: schemas[root] ?? event, ...schemas } };
  });
  known.catch(() => (known = undefined));
  return known;
}
