/** Buttons that do something to an account, and say what became of it. */
import { say } from "relationindex-client";
import { el } from "../../shared/dom";
import { confirmIn } from "./confirm";
import { announce } from "./say";

const button = (label: string, name: string, look: string, click: () => void) =>
  el("button", { type: "button", class: `button small ${look}`, aria: { label: `${label} ${name}` }, on: { click } }, label);

const run = (what: () => Promise<void>, done: string) => void what().then(() => announce(done), (error: unknown) => announce(say(error), true));

/** Acts at once. */
export const act = (label: string, name: string, what: () => Promise<void>, done: string, look = ""): HTMLButtonElement =>
  button(label, name, look, () => run(what, done));

/** Acts after a question, which takes the place of the row of buttons. */
export const actAfter = (place: HTMLElement, question: string, label: string, name: string, what: () => Promise<void>, done: string): HTMLButtonElement =>
  button(label, name, "quiet", () => confirmIn(place, question, label, () => run(what, done)));
