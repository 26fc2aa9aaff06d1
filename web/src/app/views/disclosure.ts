import { el } from "../../shared/dom";

export interface Disclosure {
  button: HTMLButtonElement;
  /** Empty while it is closed. */
  panel: HTMLElement;
  /** May be repeated, as close may. */
  open(): void;
  close(): void;
}

/** A button, and what it opens elsewhere on the page. make returns what is shown, and how to end it. Escape closes it. */
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
    if (event.target instanceof HTMLTextAreaElement && event.target.value) return; // what was written would be lost
    close();
    button.focus();
  });
  return { button, panel, open, close };
}
