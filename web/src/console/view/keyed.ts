/** Lists with stable rows. A row stays the same element while its item changes, so that bars move and focus stays. */
import { fill } from "../../shared/dom";
import { plain } from "../../shared/theirs";

export interface Row<T> {
  node: HTMLElement;
  update(item: T): void;
}

/** Returns a function that shows items as the rows of parent, in the same order. Nothing else may be in parent. */
export function keyed<T>(parent: Element, key: (item: T) => string | number, create: (item: T) => Row<T>): (items: T[]) => void {
  let rows = new Map<string | number, Row<T>>();
  return (items) => {
    const next = new Map<string | number, Row<T>>();
    for (const item of items) {
      const row = rows.get(key(item)) ?? create(item);
      row.update(item);
      next.set(key(item), row);
    }
    for (const [k, row] of rows) {
      if (!next.has(k)) row.node.remove();
    }
    let place = parent.firstElementChild;
    for (const { node } of next.values()) {
      if (node === place) place = place.nextElementSibling;
      else parent.insertBefore(node, place);
    }
    rows = next;
  };
}

/** Sets the text of a node only if it differs: otherwise screen readers and the browser would work for nothing. */
export function say(node: Element, text: string): void {
  if (node.textContent !== plain(text)) fill(node, text);
}

/** Lets a row light up for a moment. */
export function flash(node: Element): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  node.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 900, easing: "ease-out" });
}
