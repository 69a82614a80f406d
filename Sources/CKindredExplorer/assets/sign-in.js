// Signing in with a token, which is kept in memory or for the session, and never put into a URL.

import { button, element } from "./dom.js";
import { openDialog } from "./dialog.js";
import { authorize } from "./server.js";

const STORED = "kindred-token";

/** Uses the token of the session; returns false if there is none. */
export function resumeSession() {
  try {
    const token = sessionStorage.getItem(STORED);
    if (token !== null) authorize(token);
    return token !== null;
  } catch {
    return false;
  }
}

/** Asks for a token. @param {() => void} repeat makes the request again */
export function openSignIn(repeat) {
  if (document.querySelector("dialog[open]") !== null) return;
  const input = /** @type {HTMLInputElement} */ (element("input", {
    type: "password",
    "aria-label": "Token",
    autocomplete: "off",
    required: true,
  }));
  const keep = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox" }));
  const submit = button("Sign in", take, { class: "run" });
  const dialog = openDialog(
    "Sign in",
    element("h2", {}, "Sign in"),
    element("p", {}, "The server requires a token or an API key."),
    input,
    element("label", {}, keep, " Keep it until this tab is closed"),
    submit,
  );
  function take() {
    const token = input.value.trim();
    if (token === "") return input.focus();
    authorize(token);
    try {
      if (keep.checked) sessionStorage.setItem(STORED, token);
      else sessionStorage.removeItem(STORED);
    } catch {
      // Without storage, the token is only in memory.
    }
    dialog.close();
    repeat();
  }
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    take();
  });
  input.focus();
}
