import { el } from "../../shared/dom";

/** Where announce writes; the page holds it once. Screen readers read what comes into it. */
export const announcements = el("div", { class: "toasts", role: "status" });

/** Says what has happened, in a line that goes away by itself. An act that goes to another page says so when it has gone: see leavePage. */
export function announce(text: string, bad = false): void {
  const line = el("div", { class: bad ? "toast bad" : "toast", data: { at: location.hash } }, text);
  announcements.replaceChildren(line); // one at a time: the next says what has become of the last
  setTimeout(() => line.remove(), bad ? 8_000 : 4_000);
}

/** Takes away what was said on a page that was left. Problems stay until they have been read. */
export function leavePage(): void {
  for (const line of announcements.querySelectorAll<HTMLElement>(".toast:not(.bad)")) if (line.dataset["at"] !== location.hash) line.remove();
}
