/** Rows of a list. The children of a node follow the items; the row of an item that stays keeps its element, focus and state. */
export interface Row<T> {
  node: HTMLElement;
  update(item: T): void;
  close(): void;
}

export class Rows<T extends { id: string }> {
  private rows = new Map<string, Row<T>>();

  constructor(
    private parent: HTMLElement,
    private make: (item: T) => Row<T>,
  ) {}

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

  nodeOf(id: string): HTMLElement | undefined {
    return this.rows.get(id)?.node;
  }

  close(): void {
    for (const row of this.rows.values()) row.close();
  }
}

/** Moves a node in the page. The node would lose the focus by that, so the focus is set again. */
function move(node: HTMLElement, to: () => void): void {
  const focused = document.activeElement;
  to();
  if (focused instanceof HTMLElement && node.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * Moves the focus from a row that is about to be removed to its neighbour, or to the heading. The keyboard continues from there.
 */
function keepFocus(going: HTMLElement): void {
  if (!going.contains(document.activeElement)) return;
  const next = going.nextElementSibling ?? going.previousElementSibling;
  const target = next?.querySelector<HTMLElement>("a, button") ?? document.querySelector("h1");
  target?.focus({ preventScroll: true });
}
