// Who reads this: a token in a cookie, which scripts cannot read, where the fleet has keys.

import { ask, get } from "./api.js";
import { h, moment, name, prose, shown } from "./dom.js";

/** Shows the token's name and the way out, if there is one. */
export async function showCaller() {
  const place = document.getElementById("who");
  place.replaceChildren();
  try {
    const caller = await get("/session");
    document.documentElement.classList.toggle("reads-only", !caller.rights.includes("send"));
    if (caller.exported) place.append(h("span", { class: "who" }, "An export of ", moment(caller.exported)));
    if (!caller.name) return;
    place.append(
      h("span", { class: "who", title: `Rights: ${shown(caller.rights.join(", "))}` }, "Token ", name(caller.name)),
      h("button", { type: "button", class: "quiet", onclick: logout }, "Log out"));
  } catch {
    // The view shows why.
  }
}

async function logout() {
  try {
    await ask("/session", { method: "DELETE" });
    location.reload();
  } catch (error) {
    document.getElementById("who").append(h("span", { class: "problem", role: "alert" }, "You are still logged in. ", prose(error.message)));
  }
}

/** The page that asks for a token. */
export function login(main, refusal, done) {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const error = h("p", { class: "problem", role: "alert", hidden: refusal.code !== "token-unknown" }, prose(refusal.message));
  const button = h("button", { class: "primary" }, "Log in");
  const form = h("form", { class: "panel narrow", "aria-labelledby": "login-title" },
    h("h1", { id: "login-title" }, "Log in"),
    h("p", {}, "This fleet admits holders of a token. An operator makes one with ",
      h("code", { class: "command" }, "mobius keys token NAME --rights read,models,send"), "."),
    h("label", { for: "token" }, "Token"), field,
    error, button,
    h("p", { class: "muted" }, "Your browser keeps it until you log out, or until its session ends: one that restores its windows keeps it. What it may do is decided by the coordinator."));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    error.hidden = true;
    button.disabled = true;
    const token = field.value.trim();
    try {
      if (!/^[\x21-\x7e]+$/.test(token)) throw new Error("This is no token: it has spaces or characters that no token has.");
      await ask("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
      done();
    } catch (failure) {
      error.replaceChildren(...prose(failure.message));
      error.hidden = false;
      field.select();
    }
    button.disabled = false;
  });
  main.replaceChildren(form);
  field.focus();
  return { end() {}, update() {} };
}
