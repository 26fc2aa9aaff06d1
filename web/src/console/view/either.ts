/** Two panels in one place. A wide window shows one of the panels, a narrow window shows both. */
import { el } from "../../shared/dom";
import type { Panel } from "./panel";

/** Returns the panels. Each gets a button beside its title that shows the other panel. At first, the first panel is shown. */
export function either(first: Panel, second: Panel): HTMLElement[] {
  const buttons = [first, second].map((panel, n) => {
    const other = n === 0 ? second : first,
      title = panel.node.querySelector("h2")!;
    const button = el(
      "button",
      {
        type: "button",
        class: "button quiet small other",
        on: {
          click: () => {
            panel.node.classList.add("away");
            other.node.classList.remove("away");
            buttons[1 - n]!.focus();
          },
        },
      },
      other.node.querySelector("h2")!.textContent,
    );
    if (n === 0) title.after(button);
    else title.before(button); // at the place of the other panel's title
    return button;
  });
  second.node.classList.add("away");
  return [first.node, second.node];
}
