import { el } from "../../shared/dom";

/** Where announce writes; the page holds it once. Screen readers read what comes into it. */
export const announcements = el("div", { class: "toasts", role: "status" });

/** Says what has happened, in a line that goes away by itself. */
export function announce(text: string, bad = false): void {
  const line = el("div", { class: bad ? "toast bad" : "toast" }, text);
  announcements.replaceChildren(line); // one at a time: the next says what has become of the last
  setTimeout(() => line.remove(), bad ? 8_000 : 4_000);
}
