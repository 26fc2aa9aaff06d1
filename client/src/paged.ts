/** A list in pages: the first page is live, later pages are read on request. */
import { Timeline, type Item } from "./timeline.ts";
import { Value } from "./value.ts";

/** The origin of a list: a query (query.ts), or a feed (feed.ts). */
export interface Source<T> {
  /** Calls changed with the first page, and again after each change. Returns a function that stops it. */
  first(changed: (page: Page<T>) => void, failed: (error: Error) => void): () => void;
  /**
   * Returns the page after an item, or below an empty first page that has more; null: no page can continue there, so read the
   * first page again.
   */
  after(last: T | undefined): Promise<Page<T> | null>;
  /** Reads the first page again, at its price, for example after a follow. Absent if a listener reports all changes. */
  refresh?(): void;
}

export interface Page<T> {
  items: T[];
  /**
   * Whether there may be items below, also below a page without items; undefined: not known, because only the cache has answered.
   */
  more: boolean | undefined;
}

export interface ListState<T> {
  items: T[];
  /** The number of new items that wait above, because the reader is further down. */
  waiting: number;
  /** True until the first answer. An empty cache is no answer: the server may have items. */
  loading: boolean;
  loadingMore: boolean;
  /** Whether there may be items below; undefined: not known, because only the cache has answered. */
  more: boolean | undefined;
  /**
   * Whether the last page had no items, although more is true: below may be thousands of posts that the account may not read. So
   * let the user decide whether to read the next page.
   */
  barren: boolean;
  /** Why the first page is missing or out of date; null: it is not. */
  error: Error | null;
  /** Why the next page could not be read; null: no failure. */
  moreError: Error | null;
}

export class Paged<T extends Item> {
  readonly state: Value<ListState<T>>;
  private timeline: Timeline<T>;
  private atTop = true;
  /** The id of the last item below which a page was empty. */
  private above: string | undefined;
  private stop = () => {};

  /**
   * @param descending see Timeline
   * @param keep reports whether to show an item. A hidden item keeps its place, because later pages continue below it. If its
   *   result changes, call the method `again`.
   * @param merge turns the kept items into the shown ones: it may combine several into one.
   */
  constructor(private source: Source<T>, descending = true, private keep: (item: T) => boolean = () => true, private merge: (items: T[]) => T[] = (items) => items) {
    this.timeline = new Timeline<T>(descending);
    this.state = new Value<ListState<T>>({ items: [], waiting: 0, loading: true, loadingMore: false, more: undefined, barren: false, error: null, moreError: null });
    this.listen();
  }

  private listen(): void {
    this.stop = this.source.first(
      (page) => {
        this.timeline.setTop(page.items, page.more, this.atTop);
        this.update({ loading: this.timeline.shown.length === 0 && page.more === undefined, error: null });
      },
      (error) => this.update({ loading: false, error }),
    );
  }

  private update(change: Partial<ListState<T>>): void {
    const { shown, waiting, more } = this.timeline;
    const items = this.merge(shown.filter(this.keep)), last = shown.at(-1);
    this.state.set({ ...this.state.get(), items, waiting: waiting.filter(this.keep).length, more, barren: more === true && (!last || last.id === this.above), ...change });
  }

  /** Calls keep again for each item. */
  again(): void {
    this.update({});
  }

  /** Tells the list whether the reader is at the top. There, new items are inserted at once; elsewhere they wait. */
  setAtTop(atTop: boolean): void {
    this.atTop = atTop;
    if (atTop && this.timeline.waiting.length > 0) this.showWaiting();
  }

  showWaiting(): void {
    this.timeline.show();
    this.update({});
  }

  /** Reads the next page. Does nothing while a page is being read. */
  async loadMore(): Promise<void> {
    const last = this.timeline.shown.at(-1);
    if (!this.timeline.more || this.state.get().loadingMore) return;
    this.update({ loadingMore: true, moreError: null });
    try {
      const page = await this.source.after(last);
      // The list may have begun again meanwhile: then this page does not continue it.
      if (this.timeline.shown.at(-1)?.id === last?.id) {
        if (page?.items.length === 0) this.above = last?.id;
        if (page) this.timeline.append(page.items, page.more);
        else if (last) this.restart();
        else this.timeline.append([], false); // of this source, nothing is below an empty page
      }
      this.update({ loadingMore: false });
    } catch (error) {
      this.update({ loadingMore: false, moreError: error as Error });
    }
  }

  private restart(): void {
    this.timeline.shown = [];
    this.timeline.show();
  }

  /** Reads the first page again after an error, because a failed listener has ended. */
  retry(): void {
    this.stop();
    this.update({ loading: this.timeline.shown.length === 0, error: null });
    this.listen();
  }

  /** See Source.refresh. Call it a moment after a write: Feed reads documents that the functions write. */
  refresh(): void {
    this.source.refresh?.();
  }

  close(): void {
    this.stop();
    this.state.end();
  }
}
