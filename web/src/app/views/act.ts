/** Buttons that act on an account, and announce the result. */
import { errorMessage } from "relationindex-client";
import { el } from "../../shared/dom";
import { confirmIn } from "./confirm";
import { announce } from "./say";

const button = (label: string, name: string, look: string, click: () => void) =>
  el("button", { type: "button", class: `button small ${look}`, aria: { label: `${label} ${name}` }, on: { click } }, label);

const run = (what: () => Promise<void>, done: string) =>
  void what().then(
    () => announce(done),
    (error: unknown) => announce(errorMessage(error), true),
  );

/** Returns a button that acts at once. */
export const act = (label: string, name: string, what: () => Promise<void>, done: string, look = ""): HTMLButtonElement =>
  button(label, name, look, () => run(what, done));

/** Returns a button that asks first. The question replaces the row of buttons in `place`. */
export const actAfter = (place: HTMLElement, question: string, label: string, name: string, what: () => Promise<void>, done: string): HTMLButtonElement =>
  button(label, name, "quiet", () => confirmIn(place, question, label, () => run(what, done)));
