/**
 * A list whose first page is live, and whose later pages stay as they were read. Timeline decides what to show when either
 * changes: each item shows exactly once, and no item moves while the reader reads it. It uses neither the SDK nor the DOM.
 */
export interface Item {
  id: string;
  /** The item's place, compared as text. It ends with the id, so it is unique. */
  order: string;
}

export class Timeline<T extends Item> {
  /** The items that the reader sees. */
  shown: T[] = [];
  /** The current live page. */
  private top: T[] = [];
  /** The last item of the last live page that had items: those after it came with later pages. */
  private end: T | undefined;
  /** Whether there are items below the live page; undefined: not known. */
  private topHasMore: boolean | undefined = false;
  /** Whether there are items below the shown ones; undefined: not known. */
  more: boolean | undefined = false;

  /** descending: the item with the greatest order comes first. */
  constructor(private descending: boolean) {}

  private after(a: T, b: T): boolean {
    return this.descending ? a.order < b.order : a.order > b.order;
  }

  /** Items of the live page above the shown ones, which the reader does not see yet. */
  get waiting(): T[] {
    const last = this.shown.at(-1);
    return last ? this.unseen().filter((item) => !this.after(item, last)) : [];
  }

  /** Items of the live page that are not shown, or shown at an old place: a comment lifts a post. */
  private unseen(): T[] {
    const places = new Map(this.shown.map((item) => [item.id, item.order]));
    return this.top.filter((item) => places.get(item.id) !== item.order);
  }

  /**
   * Replaces the live page. Removed items leave the list at once, and changed items change in place. New and moved items are
   * inserted if the reader is at the top; otherwise they wait for show().
   */
  setTop(top: T[], more: boolean | undefined, atTop: boolean): void {
    this.top = top;
    this.topHasMore = more;
    const now = new Map(top.map((item, i) => [item.id, i]));
    const last = (this.end = top.at(-1) ?? this.end);
    // An item that left the live page is either below the page's end now, or removed.
    const kept = this.shown.filter((item) => now.has(item.id) || (more !== false && (!last || this.after(item, last))));
    kept.forEach((item, i) => {
      const place = now.get(item.id);
      if (place !== undefined) kept[i] = this.inPlace(kept, i, top[place]!, top[place - 1]);
    });
    this.shown = kept;
    if (more === false) this.more = false;
    this.extend();
    if (atTop || this.shown.length === 0) this.show();
  }

  /**
   * Returns the current version of an item, below `above` on the live page. It gets its new order only if no item moves: a server
   * time may have replaced a pending one.
   */
  private inPlace(shown: T[], i: number, item: T, above: T | undefined): T {
    const [before, old, below] = [shown[i - 1], shown[i]!, shown[i + 1]];
    const stays = before?.id === above?.id && (!before || this.after(item, before)) && below && this.after(below, item);
    return stays ? item : { ...item, order: old.order };
  }

  /** Appends items of the live page below the last shown one, which moves nothing: the cache may have had a shorter page. */
  private extend(): void {
    const last = this.shown.at(-1);
    const end = this.top.findIndex((item) => item.id === last?.id && item.order === last.order);
    if (end < 0) return;
    if (end === this.top.length - 1) {
      this.more ??= this.topHasMore;
      return;
    }
    const ids = new Set(this.shown.map((item) => item.id));
    this.shown = [...this.shown, ...this.top.slice(end + 1).filter((item) => !ids.has(item.id))];
    this.more = this.topHasMore;
  }

  /** Inserts the waiting items. */
  show(): void {
    const unseen = this.unseen();
    if (unseen.length === 0 && this.shown.length > 0) return;
    const ids = new Set(unseen.map((item) => item.id));
    const stay = this.shown.filter((item) => !ids.has(item.id));
    const seen = new Set(this.shown.map((item) => item.id));
    const fresh = unseen.filter((item) => !seen.has(item.id));
    const first = stay[0];
    // Later pages stay if all new items belong above them and the live page reaches down to them. Otherwise items may be
    // missing in between: a follow brings posts of any age, and 30 posts may have arrived without a network. Then the
    // list begins again with the live page. Items that only moved leave no gap.
    const reaches = this.top.length > unseen.length;
    if (first && (fresh.length === 0 || (reaches && fresh.every((item) => this.after(first, item))))) {
      this.shown = [...unseen, ...stay];
      if (fresh.length < unseen.length) this.shown.sort((a, b) => (this.after(a, b) ? 1 : -1));
      return;
    }
    this.shown = [...this.top];
    this.more = this.topHasMore;
  }

  /** Takes an item out of the list, wherever it is: its document is gone. */
  remove(id: string): void {
    this.shown = this.shown.filter((item) => item.id !== id);
    this.top = this.top.filter((item) => item.id !== id);
  }

  /** Changes an item where it is. */
  change(id: string, to: (item: T) => T): void {
    const changed = (items: T[]) => items.map((item) => (item.id === id ? to(item) : item));
    this.shown = changed(this.shown);
    this.top = changed(this.top);
  }

  /** Appends a page below the shown items. */
  append(page: T[], more: boolean | undefined): void {
    const ids = new Set(this.shown.map((item) => item.id));
    this.shown = [...this.shown, ...page.filter((item) => !ids.has(item.id))];
    this.more = more;
  }
}
