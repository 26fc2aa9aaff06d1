/** Keeps the children of a node in step with a list: what stays, stays the same element, with its focus and its state. */
export interface Row<T> {
  node: HTMLElement;
  update(item: T): void;
  close(): void;
}

export class Rows<T extends { id: string }> {
  private rows = new Map<string, Row<T>>();

  constructor(private parent: HTMLElement, private make: (item: T) => Row<T>) {}

  show(items: T[]): void {
    const wanted = new Set(items.map((item) => item.id));
    for (const [id, row] of this.rows) {
      if (wanted.has(id)) continue;
      keepFocus(row.node);
      row.close();
      row.node.remove();
      this.rows.delete(id);
    }
    items.forEach((item, i) => {
      let row = this.rows.get(item.id);
      if (row) row.update(item);
      else this.rows.set(item.id, (row = this.make(item)));
      const there = this.parent.children[i];
      if (there !== row.node) move(row.node, () => this.parent.insertBefore(row.node, there ?? null));
    });
  }

  close(): void {
    for (const row of this.rows.values()) row.close();
  }
}

/** A node that moves in the page loses the focus, unless it gets it back. */
function move(node: HTMLElement, to: () => void): void {
  const focused = document.activeElement;
  to();
  if (focused instanceof HTMLElement && node.contains(focused)) focused.focus({ preventScroll: true });
}

/** If what goes away has the focus, its neighbour gets it, or the view's heading: a keyboard goes on from there. */
function keepFocus(going: HTMLElement): void {
  if (!going.contains(document.activeElement)) return;
  const next = going.nextElementSibling ?? going.previousElementSibling;
  const target = next?.querySelector<HTMLElement>("a, button") ?? document.querySelector("h1");
  target?.focus({ preventScroll: true });
}
