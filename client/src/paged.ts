/** A list that is read in pages: the first one live, those below it when they are asked for. */
import { Timeline, type Item } from "./timeline.ts";
import { Value } from "./value.ts";

/** Where a list comes from: a query (query.ts), or a feed (feed.ts). */
export interface Source<T> {
  /** Calls back with the first page, and again whenever it changes. Returns how to stop. */
  first(changed: (page: Page<T>) => void, failed: (error: Error) => void): () => void;
  /** The page after an item. null: this item is no place to go on from, begin with the first page. */
  after(last: T): Promise<Page<T> | null>;
  /** Reads the first page again, for its price, as after a follow of one's own. Absent where a listener tells of all that changes. */
  refresh?(): void;
}

export interface Page<T> {
  items: T[];
  /** Whether there is something below. undefined: not known, since only the cache has answered. */
  more: boolean | undefined;
}

export interface ListState<T> {
  items: T[];
  /** How many new ones wait above, because the reader is further down. */
  waiting: number;
  /** Nothing has come yet, or only a cache has answered, and has nothing: the list may be empty. */
  loading: boolean;
  loadingMore: boolean;
  /** Whether there is something below. undefined: not known, since only the cache has answered. */
  more: boolean | undefined;
  /** Why the first page is not there, or not up to date. */
  error: Error | null;
  /** Why the next page did not come. */
  moreError: Error | null;
}

export class Paged<T extends Item> {
  readonly state: Value<ListState<T>>;
  private timeline: Timeline<T>;
  private atTop = true;
  private stop = () => {};

  /**
   * @param descending see Timeline
   * @param keep whether an item is shown. What is not keeps its place, so that pages go on below it. See again.
   */
  constructor(private source: Source<T>, descending = true, private keep: (item: T) => boolean = () => true) {
    this.timeline = new Timeline<T>(descending);
    this.state = new Value<ListState<T>>({ items: [], waiting: 0, loading: true, loadingMore: false, more: undefined, error: null, moreError: null });
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
    const items = shown.filter(this.keep);
    this.state.set({ ...this.state.get(), items, waiting: waiting.filter(this.keep).length, more: shown.length > 0 ? more : more && false, ...change });
  }

  /** Asks again of each item whether it is shown. */
  again(): void {
    this.update({});
  }

  /** Whether the reader is at the top, where new items may come in without moving what is being read. */
  setAtTop(atTop: boolean): void {
    this.atTop = atTop;
    if (atTop && this.timeline.waiting.length > 0) this.showWaiting();
  }

  showWaiting(): void {
    this.timeline.show();
    this.update({});
  }

  /** Reads the next page. Does nothing while one is being read. */
  async loadMore(): Promise<void> {
    const last = this.timeline.shown.at(-1);
    if (!last || !this.timeline.more || this.state.get().loadingMore) return;
    this.update({ loadingMore: true, moreError: null });
    try {
      const page = await this.source.after(last);
      // The list may have begun again meanwhile: then this page is of another list.
      if (this.timeline.shown.at(-1)?.id === last.id) {
        if (page) this.timeline.append(page.items, page.more);
        else this.restart();
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

  /** After an error of the first page: reads it again. A listener that failed has ended. */
  retry(): void {
    this.stop();
    this.update({ loading: this.timeline.shown.length === 0, error: null });
    this.listen();
  }

  /** See Source.refresh. Feed is read from what the functions have written: a moment after the own write. */
  refresh(): void {
    this.source.refresh?.();
  }

  close(): void {
    this.stop();
    this.state.end();
  }
}
