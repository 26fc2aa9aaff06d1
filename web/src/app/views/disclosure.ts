/** Button that opens and closes a panel elsewhere on the page. */
import { el } from "../../shared/dom";

export interface Disclosure {
  button: HTMLButtonElement;
  /** The panel; empty while it is closed. */
  panel: HTMLElement;
  /** open and close may be repeated. */
  open(): void;
  close(): void;
}

/** Returns the button and the panel. make returns the content of the panel, and how to end it. Escape closes the panel. */
export function disclosure(label: string, panelClass: string, make: () => { node: HTMLElement; close: () => void }): Disclosure {
  const button = el("button", { type: "button", class: "button small quiet", aria: { expanded: "false" } }, label);
  const panel = el("div", { class: panelClass, hidden: true });
  let end: (() => void) | undefined;
  const close = () => {
    end?.();
    end = undefined;
    panel.replaceChildren();
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  const open = () => {
    if (end) return;
    const shown = make();
    end = shown.close;
    panel.append(shown.node);
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    panel.scrollIntoView({ block: "nearest" });
  };
  button.addEventListener("click", () => (end ? close() : open()));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (event.target instanceof HTMLTextAreaElement && event.target.value) return; // the typed text would be lost
    close();
    button.focus();
  });
  return { button, panel, open, close };
}
