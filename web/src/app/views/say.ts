/** Announcements: lines that say what has happened, and disappear by themselves. */
import { el } from "../../shared/dom";

/** The element that announce writes into. The page has it once, and screen readers read each new line. */
export const announcements = el("div", { class: "toasts", role: "status" });

/** Shows a line with what has happened. An act that opens another page must call announce afterwards: see leavePage. */
export function announce(text: string, bad = false): void {
  const line = el("div", { class: bad ? "toast bad" : "toast", data: { at: location.hash } }, text);
  announcements.replaceChildren(line); // one line at a time: the newest says how the last act ended
  setTimeout(() => line.remove(), bad ? 8_000 : 4_000);
}

/** Removes the lines of a page that the user has left. Lines about problems stay until their time is over. */
export function leavePage(): void {
  for (const line of announcements.querySelectorAll<HTMLElement>(".toast:not(.bad)")) if (line.dataset["at"] !== location.hash) line.remove();
}
