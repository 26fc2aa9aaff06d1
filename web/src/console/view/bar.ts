/** Bars that show how full something is, or how far. */
import { el } from "../../shared/dom";
import { share } from "../words/numbers";

export interface Bar {
  node: HTMLElement;
  /** Shows value out of max. Screen readers read text. */
  show(value: number, max: number, text: string): void;
}

const slotsShown = 24;

/** Returns a bar that shows how full something is. If max is small, each place is marked. */
export function meter(label: string): Bar {
  const fill = el("span");
  const node = el("div", { class: "bar", role: "meter", aria: { label, valuemin: "0" } }, fill);
  return {
    node,
    show(value, max, text) {
      fill.style.width = `${share(value, max) * 100}%`;
      node.classList.toggle("some", value > 0);
      node.classList.toggle("full", value >= max);
      node.classList.toggle("slots", max > 1 && max <= slotsShown);
      node.style.setProperty("--slots", String(max));
      node.setAttribute("aria-valuenow", String(Math.min(value, max)));
      node.setAttribute("aria-valuemax", String(max));
      node.setAttribute("aria-valuetext", text);
    },
  };
}

/** Returns a bar that shows how far something is, 0 to 1. null only shows that it is under way. */
export function progressBar(label: string): { node: HTMLElement; show(part: number | null, text: string): void } {
  const fill = el("span");
  const node = el("div", { class: "bar", role: "progressbar", aria: { label, valuemin: "0", valuemax: "100" } }, fill);
  return {
    node,
    show(part, text) {
      node.classList.toggle("unknown", part === null);
      fill.style.width = part === null ? "100%" : `${part * 100}%`;
      if (part === null) node.removeAttribute("aria-valuenow");
      else node.setAttribute("aria-valuenow", String(Math.floor(part * 100)));
      node.setAttribute("aria-valuetext", text);
    },
  };
}
