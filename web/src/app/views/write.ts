/** Form with a text field, its limit, its counter and its keys. It is for new posts, comments and edits. */
import { maxText } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import { announce } from "./say";

export interface WriteOptions {
  label: string;
  placeholder: string;
  button: string;
  /**
   * Returns the text that the field starts with. It is called again when the view comes back: the text may have been sent
   * elsewhere meanwhile.
   */
  text?: () => string;
  /** The most UTF-16 units of a text; without it, the limit of a post. */
  longest?: number;
  /** The lines that the field has at first. */
  rows?: number;
  /** The element between the field and the buttons. */
  choices?: HTMLElement;
  /** Says why the text cannot be sent as it is; "" if it can. */
  missing?: () => string;
  /** Is called with the text after each change. */
  changed?: (text: string) => void;
  /** Sends the text. The field is empty by then. */
  send: (text: string) => void;
  /** Leaves the form. With it, the form has the button Cancel, and Escape does the same. */
  cancel?: () => void;
}

export interface WriteForm {
  node: HTMLElement;
  field: HTMLTextAreaElement;
  /** Says why a text was not sent, also on another page. Puts the text back if the field is empty, and returns whether it did. */
  giveBack(text: string, reason: string): boolean;
}

/** The event that a form gets when its view comes back: see held.ts. */
export const returned = "returned";

export function writeForm(options: WriteOptions): WriteForm {
  const longest = options.longest ?? maxText;
  const field = el("textarea", { class: "input", rows: options.rows ?? 2, placeholder: options.placeholder, aria: { label: options.label } });
  const counter = el("span", { class: "small muted counter", role: "status" });
  const problem = el("p", { class: "small problem", role: "alert" });
  const button = el("button", { type: "submit", class: "button primary" }, options.button);
  const cancel = options.cancel && el("button", { type: "button", class: "button quiet", on: { click: options.cancel } }, "Cancel");
  const node = el(
    "form",
    { class: "write" },
    field,
    options.choices,
    problem,
    el("div", { class: "row" }, counter, el("span", { class: "grow" }), cancel, button),
  );

  const check = () => {
    const left = longest - field.value.length;
    const told = left < 0 ? `${(-left).toLocaleString()} too many` : left <= 500 ? `${left.toLocaleString()} left` : "";
    if (counter.textContent !== told) fill(counter, told);
    counter.classList.toggle("bad", left < 0);
    field.setAttribute("aria-invalid", String(left < 0));
    // aria-disabled, because a disabled button would lose the focus.
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
