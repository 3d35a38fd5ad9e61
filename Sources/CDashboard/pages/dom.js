// Makes elements, and writes times and numbers. All data becomes text here, never markup.

/** Makes an element: attributes, listeners (`onclick`), and children, of which texts are text whatever is in them. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** A text of somebody else's, in which control characters, marks of direction and halves of characters can be seen and do nothing. */
export function shown(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (c) =>
    ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c] ?? `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** The beginning of a text of somebody else's. */
export function cut(text, limit = 120) {
  const all = String(text);
  return shown(all.length > limit ? all.slice(0, limit) + "…" : all);
}

/** A name of somebody else's, whose direction does not reach its surroundings. */
export function name(text, tag = "bdi", attributes = {}) {
  return h(tag, { dir: "auto", ...attributes }, shown(text));
}

/** A text of several lines of somebody else's. */
export function shownLines(text) {
  return String(text).split("\n").map(shown).join("\n");
}

/** The word as a POSIX shell reads it unchanged. */
export function shellQuoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command for the reader's terminal, and what somebody else has named, which is one word of it and no option. */
export function command(text, word) {
  if (word === undefined) return h("code", { class: "command", translate: "no" }, shown(text));
  const between = !word.startsWith("-") ? " " : / --\w+$/.test(text) ? "=" : " -- ";
  return command(text + between + shellQuoted(word));
}

/** A sentence of the coordinator's, in which commands stand between backquotes; what a name contains is none, nor is what a shell would take apart. */
export function prose(text, name = "") {
  const hidden = "\u{f0000}";
  const isOdd = name.includes("`");
  const sentence = isOdd ? String(text).replaceAll(name, hidden) : String(text);
  return sentence.split(/`(mobius[\w @%+=:,./-]*)`/).map((part, index) => {
    const whole = isOdd ? part.replaceAll(hidden, () => name) : part;
    return index % 2 && whole === part ? command(part) : shown(index % 2 ? `\`${whole}\`` : whole);
  });
}

/** Makes `old` like `fresh`, and keeps the elements that are the same, so that focus and selection stay where they are. */
export function morph(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, index) => {
    const known = old.childNodes[index];
    if (!known) old.append(node);
    else if (known.nodeType !== node.nodeType || known.nodeName !== node.nodeName) known.replaceWith(node);
    else if (node.nodeType === Node.TEXT_NODE) {
      if (known.data !== node.data) known.data = node.data;
    } else morph(known, node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

/** Tells a screen reader, once. */
export function announce(text) {
  document.getElementById("announcement").textContent = text;
}

const whole = new Intl.NumberFormat("en");

/** A number with separators. */
export function count(value) {
  return whole.format(value);
}

/** A number with its noun. */
export function counted(value, noun, nouns = noun + "s") {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

/** A duration in two units at most, such as `1 h 5 min`. */
export function span(milliseconds) {
  if (!Number.isFinite(milliseconds)) return "an unknown time";
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  const units = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, unit] = units[first];
  const rest = units[first + 1] && Math.floor((seconds % size) / units[first + 1][0]);
  return `${Math.floor(seconds / size)} ${unit}` + (rest ? ` ${rest} ${units[first + 1][1]}` : "");
}

/** A time as the reader's clock shows it; the date only when it is not today's. */
export function clock(text, isExact = false) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return shown(text);
  const two = (number, digits = 2) => String(number).padStart(digits, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} `;
  const isToday = time.toDateString() === new Date().toDateString();
  const hours = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return (isToday && !isExact ? "" : day) + hours + (isExact ? `.${two(time.getMilliseconds(), 3)}` : "");
}

/** A time as an element with the exact one beside it. */
export function moment(text) {
  return text ? h("time", { datetime: text, title: clock(text, true) }, clock(text)) : "–";
}

/** How long ago, or in how long. */
export function distance(text) {
  const milliseconds = Date.now() - new Date(text).getTime();
  return milliseconds >= 0 ? `${span(milliseconds)} ago` : `in ${span(-milliseconds)}`;
}

/** A table that a narrow screen scrolls sideways. */
export function table(caption, columns, rows) {
  const heads = columns.map((column) =>
    column instanceof Node ? column : h("th", { scope: "col", class: column.startsWith("#") ? "number" : undefined }, column.replace("#", ""))
  );
  return h("div", { class: "scroll", role: "region", "aria-label": `${caption}: table`, tabindex: "0" },
    h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
}

/** A line of the values, the oldest left, scaled to the largest. */
export function sparkline(values, label) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  const [width, height, most] = [120, 28, Math.max(1, ...values)];
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, class: "spark", role: "img", preserveAspectRatio: "none", "aria-label": label })) {
    picture.setAttribute(key, value);
  }
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`);
  const line = document.createElementNS(space, "polyline");
  line.setAttribute("points", points.join(" "));
  picture.append(line);
  return picture;
}
