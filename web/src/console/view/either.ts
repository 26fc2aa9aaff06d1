/** Two panels in one place: a wide window shows one of them, and a narrow one both. */
import { el } from "../../shared/dom";
import type { Panel } from "./panel";

/** Returns the panels, each with a button beside its title that shows the other one. At first that is the first. */
export function either(first: Panel, second: Panel): HTMLElement[] {
  const buttons = [first, second].map((panel, n) => {
    const other = n === 0 ? second : first, title = panel.node.querySelector("h2")!;
    const button = el("button", {
      type: "button", class: "button quiet small other",
      on: {
        click: () => {
          panel.node.classList.add("away");
          other.node.classList.remove("away");
          buttons[1 - n]!.focus();
        },
      },
    }, other.node.querySelector("h2")!.textContent);
    if (n === 0) title.after(button);
    else title.before(button); // where the other one's title was
    return button;
  });
  second.node.classList.add("away");
  return [first.node, second.node];
}
