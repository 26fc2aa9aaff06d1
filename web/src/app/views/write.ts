/** A text field with its limit, its counter and its keys: for a new post, and to edit one. */
import { maxText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { announce } from "./say";

export interface WriteOptions {
  label: string;
  placeholder: string;
  button: string;
  /** What it begins with, and goes on with when its view was left and is back: it may have been sent elsewhere meanwhile. */
  text?: () => string;
  /** How many UTF-16 units it takes; those of a post without it. */
  longest?: number;
  /** How many lines it begins with. */
  rows?: number;
  /** Stands between the field and the buttons. */
  choices?: HTMLElement;
  /** Why the text cannot be sent as it is; "" if it can. */
  missing?: () => string;
  /** Is told the text while it is written. */
  changed?: (text: string) => void;
  /** Takes the text, which has left the field by then. */
  send: (text: string) => void;
  /** With it there is a button to leave, and Escape does the same. */
  cancel?: () => void;
}

export interface WriteForm {
  node: HTMLElement;
  field: HTMLTextAreaElement;
  /** Says why a text was not sent, also on another page, and puts it back, unless another has been begun. Returns whether it did. */
  giveBack(text: string, reason: string): boolean;
}

/** The event that tells a form that its view is back: see held.ts. */
export const returned = "returned";

export function writeForm(options: WriteOptions): WriteForm {
  const longest = options.longest ?? maxText;
  const field = el("textarea", { class: "input", rows: options.rows ?? 2, placeholder: options.placeholder, aria: { label: options.label } });
  const counter = el("span", { class: "small muted counter", role: "status" });
  const problem = el("p", { class: "small problem", role: "alert" });
  const button = el("button", { type: "submit", class: "button primary" }, options.button);
  const cancel = options.cancel && el("button", { type: "button", class: "button quiet", on: { click: options.cancel } }, "Cancel");
  const node = el("form", { class: "write" }, field, options.choices, problem, el("div", { class: "row" }, counter, el("span", { class: "grow" }), cancel, button));

  const check = () => {
    const left = longest - field.value.length;
    const told = left < 0 ? `${(-left).toLocaleString()} too many` : left <= 500 ? `${left.toLocaleString()} left` : "";
    if (counter.textContent !== told) fill(counter, told);
    counter.classList.toggle("bad", left < 0);
    field.setAttribute("aria-invalid", String(left < 0));
    // Not disabled: that would take the focus away from it.
    button.setAttribute("aria-disabled", String(left < 0 || field.value.trim() === ""));
    options.changed?.(field.value);
  };
  const submit = () => {
    const text = field.value.trim();
    if (text === "" || text.length > longest) return;
    const missing = options.missing?.() ?? "";
    fill(problem, missing);
    if (missing) return;
    field.value = "";
    check();
    options.send(text);
  };
  field.addEventListener("input", check);
  node.addEventListener("submit", (event) => (event.preventDefault(), submit()));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") options.cancel?.();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  });
  const begin = () => {
    field.value = options.text?.() ?? "";
    check();
  };
  node.addEventListener(returned, begin);
  begin();

  return {
    node,
    field,
    giveBack(text, reason) {
      fill(problem, reason);
      if (!node.isConnected) announce(reason, true);
      const free = field.value === "";
      if (free) field.value = text;
      check();
      return free;
    },
  };
}
