/** A list that is read in pages: the first one live, those below it when they are asked for. */
import { Timeline, type Item } from "./timeline.ts";
import { Value } from "./value.ts";

/** Where a list comes from: a query (query.ts), the feed (feed.ts), Feed (feed-endpoint.ts). */
export interface Source<T> {
  /** Calls back with the first page, and again whenever it changes. Returns how to stop. */
  first(changed: (page: Page<T>) => void, failed: (error: Error) => void): () => void;
  /** The page after an item. null: this item is no place to go on from, begin with the first page. */
  after(last: T): Promise<Page<T> | null>;
}

export interface Page<T> {
  items: T[];
  more: boolean;
}

export interface ListState<T> {
  items: T[];
  /** How many new ones wait above, because the reader is further down. */
  waiting: number;
  /** Nothing has come yet. */
  loading: boolean;
  loadingMore: boolean;
  more: boolean;
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
   * @param merge makes what is shown of the items that are kept: one of several, say.
   */
  constructor(private source: Source<T>, descending = true, private keep: (item: T) => boolean = () => true, private merge: (items: T[]) => T[] = (items) => items) {
    this.timeline = new Timeline<T>(descending);
    this.state = new Value<ListState<T>>({ items: [], waiting: 0, loading: true, loadingMore: false, more: false, error: null, moreError: null });
    this.listen();
  }

  private listen(): void {
    this.stop = this.source.first(
      (page) => {
        this.timeline.setTop(page.items, page.more, this.atTop);
        this.update({ loading: false, error: null });
      },
      (error) => this.update({ loading: false, error }),
    );
  }

  private update(change: Partial<ListState<T>>): void {
    const { shown, waiting, more } = this.timeline;
    const items = this.merge(shown.filter(this.keep));
    this.state.set({ ...this.state.get(), items, waiting: waiting.filter(this.keep).length, more: more && shown.length > 0, ...change });
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

  close(): void {
    this.stop();
  }
}
