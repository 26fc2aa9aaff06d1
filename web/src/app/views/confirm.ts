import { el } from "../../shared/dom";

/**
 * Question in place of a row of buttons, such as "Delete this post?". Each answer restores the buttons and the focus; Escape
 * cancels.
 */
export function confirmIn(place: HTMLElement, question: string, yes: string, act: () => void): void {
  if (place.querySelector(":scope > .confirm")) return; // it is asking
  const before = [...place.childNodes];
  const focused = document.activeElement;
  const close = () => {
    if (box.parentNode !== place) return; // the place shows something newer
    place.replaceChildren(...before);
    if (focused instanceof HTMLElement) focused.focus();
  };
  const no = el("button", { type: "button", class: "button small quiet", on: { click: close } }, "Cancel");
  const go = el("button", { type: "button", class: "button small danger", on: { click: () => (close(), act()) } }, yes);
  const box = el("div", { class: "confirm row wrap", role: "group", aria: { label: question } }, el("span", { class: "small" }, question), go, no);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  place.replaceChildren(box);
  no.focus();
}
