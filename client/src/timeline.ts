/**
 * A list of which a page at the top is live and the pages below it are as they were read: what to show when either
 * changes, so that nothing is missing, nothing is there twice, and nothing jumps under the reader. Pure: no SDK, no DOM.
 */
export interface Item {
  id: string;
  /** Places the item: compared as text, see Timeline. Unique, hence with the id at its end. */
  order: string;
}

export class Timeline<T extends Item> {
  /** What the reader sees. */
  shown: T[] = [];
  /** The live page, as it is now. */
  private top: T[] = [];
  /** Whether there is something below the live page; undefined: not known. */
  private topHasMore: boolean | undefined = false;
  /** Whether there is something below what is shown; undefined: not known. */
  more: boolean | undefined = false;

  /** descending: the item with the greatest order comes first. */
  constructor(private descending: boolean) {}

  private after(a: T, b: T): boolean {
    return this.descending ? a.order < b.order : a.order > b.order;
  }

  /** Items of the live page that the reader does not see yet, above what is seen. */
  get waiting(): T[] {
    const last = this.shown.at(-1);
    return last ? this.unseen().filter((item) => !this.after(item, last)) : [];
  }

  /** Items of the live page that the reader does not see, or sees where they no longer belong: a comment lifts a post. */
  private unseen(): T[] {
    const places = new Map(this.shown.map((item) => [item.id, item.order]));
    return this.top.filter((item) => places.get(item.id) !== item.order);
  }

  /**
   * The live page is now this. What has gone from it leaves the list at once, what has changed changes in place. What
   * is new, or has another place, is put in if the reader is at the top, and waits for show() otherwise.
   */
  setTop(top: T[], more: boolean | undefined, atTop: boolean): void {
    this.top = top;
    this.topHasMore = more;
    const now = new Map(top.map((item, i) => [item.id, i]));
    const last = top.at(-1);
    // An item that is no longer on the live page has either been pushed below its end, or it is gone.
    const kept = this.shown.filter((item) => now.has(item.id) || (more !== false && last && this.after(item, last)));
    kept.forEach((item, i) => {
      const place = now.get(item.id);
      if (place !== undefined) kept[i] = this.inPlace(kept, i, top[place]!, top[place - 1]);
    });
    this.shown = kept;
    if (more === false) this.more = false;
    this.extend();
    if (atTop || this.shown.length === 0) this.show();
  }

  /** An item as it is now, below `above` on the live page. It has its new order if that moves nothing, such as a time that the server has given at last. */
  private inPlace(shown: T[], i: number, item: T, above: T | undefined): T {
    const [before, old, below] = [shown[i - 1], shown[i]!, shown[i + 1]];
    const stays = before?.id === above?.id && (!before || this.after(item, before)) && below && this.after(below, item);
    return stays ? item : { ...item, order: old.order };
  }

  /** What the live page has below the end of what is shown belongs there, and moves nothing: a cache may have had less of it. */
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

  /** Puts in what waits. */
  show(): void {
    const unseen = this.unseen();
    if (unseen.length === 0 && this.shown.length > 0) return;
    const ids = new Set(unseen.map((item) => item.id));
    const stay = this.shown.filter((item) => !ids.has(item.id));
    const seen = new Set(this.shown.map((item) => item.id));
    const fresh = unseen.filter((item) => !seen.has(item.id));
    const first = stay[0];
    // Pages below are kept if all that is new belongs above them and the live page reaches down to them. Otherwise
    // something may be missing in between (a follow brings posts of any age; 30 posts may have come while the
    // network was gone): the list begins again with the live page. What has only moved leaves no gap.
    const reaches = this.top.length > unseen.length;
    if (first && (fresh.length === 0 || (reaches && fresh.every((item) => this.after(first, item))))) {
      this.shown = [...unseen, ...stay];
      if (fresh.length < unseen.length) this.shown.sort((a, b) => (this.after(a, b) ? 1 : -1));
      return;
    }
    this.shown = [...this.top];
    this.more = this.topHasMore;
  }

  /** A page below what is shown. */
  append(page: T[], more: boolean | undefined): void {
    const ids = new Set(this.shown.map((item) => item.id));
    this.shown = [...this.shown, ...page.filter((item) => !ids.has(item.id))];
    this.more = more;
  }
}
