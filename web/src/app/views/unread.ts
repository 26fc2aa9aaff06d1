/** Number of new posts, "3 new", with the button "Mark as read". */
import { type Reader, errorMessage, type Unread } from "relationindex-client";
import { el } from "../../shared/dom";
import { announce } from "./say";
import { unreadText } from "./words";

export function unreadView(reader: Reader): { node: HTMLElement; update(unread: Unread): void } {
  let newest = 0;
  const number = el("span", { role: "status", class: "badge accent" });
  const button = el("button", { type: "button", class: "button small" }, "Mark as read");
  button.addEventListener("click", () => {
    reader.markRead(newest).then(
      () => announce("Marked as read."),
      (error: unknown) => announce(`Not marked. ${errorMessage(error)}`, true),
    );
  });
  const node = el("div", { class: "row" }, number, button);
  return {
    node,
    update(unread) {
      newest = unread.newest;
      const text = unreadText(unread);
      if (number.textContent !== text) number.textContent = text;
      number.hidden = text === "";
      if (text === "" && document.activeElement === button) document.querySelector("h1")?.focus({ preventScroll: true });
      button.hidden = text === "";
    },
  };
}
