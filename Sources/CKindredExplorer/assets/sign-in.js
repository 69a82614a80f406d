// Signing in with a token, which is kept in memory or for the session, and never put into a URL.

import { element } from "./dom.js";
import { openForm } from "./menu.js";
import { session } from "./server.js";

/** Asks for a token; returns false if none is given. @returns {Promise<boolean>} */
export function askForToken() {
  const input = /** @type {HTMLInputElement} */ (element("input", {
    type: "password",
    "aria-label": "Token",
    autocomplete: "off",
    required: true,
  }));
  const keep = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox" }));
  const wasSignedIn = session.token !== null;
  return new Promise((resolve) => {
    let isGiven = false;
    const take = () => {
      const token = input.value.trim();
      // A field of a request has only these.
      const isToken = /^[\x21-\x7e]+$/.test(token);
      input.setAttribute("aria-invalid", String(!isToken));
      if (!isToken) return input.focus();
      session.authorize(token, keep.checked);
      isGiven = true;
      dialog.close();
    };
    const dialog = openForm(
      "Sign in",
      [
        element(
          "p",
          {},
          wasSignedIn
            ? "The token is no longer valid. Nothing is lost."
            : "The server requires a token or an API key.",
        ),
        input,
        element("label", {}, keep, " Keep it until this tab is closed"),
      ],
      [["Sign in", take]],
    );
    dialog.addEventListener("close", () => resolve(isGiven));
    input.focus();
  });
}
