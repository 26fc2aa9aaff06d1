/** A list in pages: the first page is live, later pages are read on request. */
import type { Done } from "./acts.ts";
import type { Me } from "./me.ts";
import type { Post } from "./posts.ts";
import { Timeline, type Item } from "./timeline.ts";
import { Value } from "./value.ts";

/** The origin of a list: a query (query.ts), or a feed (feed.ts). It reads nothing before a list of it is watched. */
export interface Source<T> {
  /** The account that reads, whose acts change the list. */
  me: Me;
  /** The path of an item's document, by which acts name it. */
  pathOf?(item: T): string | undefined;
  /** Its pages may be older than what the account has just done: the functions write them, a moment later. */
  lags?: boolean;
  /** The item with the lowest order comes first; without it, the one with the highest. */
  ascending?: boolean;
  /** Calls changed with the first page, and again after each change. Returns a function that stops it. */
  first(changed: (page: Page<T>) => void, failed: (error: Error) => void): () => void;
  /**
   * Returns the page after an item, or below an empty first page that has more; null: no page can continue there, so read the
   * first page again.
   */
  after(last: T | undefined, signal?: AbortSignal): Promise<Page<T> | null>;
  /** Reads the first page again, at its price. Absent if a listener reports all changes. */
  refresh?(): void;
}

export interface Page<T> {
  items: T[];
  /**
   * Whether there may be items below, also below a page without items; undefined: not known, because only the cache has answered.
   */
  more: boolean | undefined;
  /** Only the device's cache has answered. */
  fromCache?: boolean;
}

export interface ListState<T> {
  items: T[];
  /** The number of new items that wait above, because the reader is further down. */
  waiting: number;
  /**
   * loading: nothing to show yet. ready: as the server has it. offline: only the device has answered, for a moment at the start or
   * without a network. error: see `error`; items may be out of date. An empty cache is no answer: the server may have items.
   */
  status: "loading" | "ready" | "offline" | "error";
  /** Why the first page is missing or out of date; null: it is not. The list tries again by itself. */
  error: Error | null;
  /** Whether there may be items below: then loadMore reads them. False while that is not known. */
  more: boolean;
  loadingMore: boolean;
  /** Why the next page could not be read; null: no failure. */
  moreError: Error | null;
  /**
   * Whether the last page had no items, although more is true: below may be thousands of posts that the account may not read. So
   * let the user decide whether to read the next page.
   */
  barren: boolean;
}

export interface ListOptions<T> {
  /**
   * Reports whether to show an item. A hidden item keeps its place, because later pages continue below it. If its result changes,
   * call the method `again`.
   */
  keep?(item: T): boolean;
  /** Turns the kept items into the shown ones: it may combine several into one. */
  merge?(items: T[]): T[];
}

const nothing = { items: [], waiting: 0, status: "loading", error: null, more: false, loadingMore: false, moreError: null, barren: false } as const;

/** A page of a source that lags may be as old as this, in ms. */
const lingers = 60_000;

/** A list. It listens while somebody watches its state, and keeps what it has shown when nobody does. */
export class Paged<T extends Item> {
  readonly state: Value<ListState<T>>;
  private timeline: Timeline<T>;
  private atTop = true;
  private fromCache = true;
  /** The id of the last item below which a page was empty. */
  private above: string | undefined;
  private stop = () => {};
  private listens = false;
  private reading: AbortController | undefined;
  /** The number of acts that the shown items have. */
  private looked: number;
  private keep: (item: T) => boolean;
  private merge: (items: T[]) => T[];

  constructor(
    private source: Source<T>,
    { keep = () => true, merge = (items) => items }: ListOptions<T> = {},
  ) {
    this.looked = source.me.acts.count;
    this.keep = keep;
    this.merge = merge;
    this.timeline = new Timeline<T>(!source.ascending);
    this.state = new Value<ListState<T>>({ ...nothing, items: [] }, () => {
      this.listens = true;
      this.listen();
      const stopActs = source.me.acts.on((act) => "path" in act && this.look());
      this.look(); // what happened while nobody watched
      return () => {
        this.listens = false;
        this.looked = this.source.me.acts.count;
        this.stop();
        stopActs();
        this.reading?.abort();
      };
    });
  }

  /** Calls the watcher with the state at once, and on each change: the list is a store, as its state is. */
  subscribe(watcher: (state: ListState<T>) => void): () => void {
    return this.state.subscribe(watcher);
  }

  private listen(): void {
    this.stop = this.source.first(
      (page) => {
        this.timeline.setTop(this.now(page.items), page.more, this.atTop);
        this.fromCache = page.fromCache ?? false;
        this.update({ status: this.answered(), error: null });
      },
      (error) => this.update({ status: "error", error }),
    );
  }

  private answered(): ListState<T>["status"] {
    if (!this.fromCache) return "ready";
    return this.timeline.shown.length === 0 && this.timeline.more === undefined ? "loading" : "offline";
  }

  /** The items of a page as the account has left them. */
  private now(items: T[]): T[] {
    return this.source.lags ? items.flatMap((item) => this.acted(item, ({ at }) => Date.now() - at <= lingers) ?? []) : items;
  }

  /** An item with those acts of the account that count; null: it is gone. */
  private acted(item: T, counts: (act: Done) => boolean): T | null {
    const { done } = this.source.me.acts;
    let now = item;
    for (const act of (done.size > 0 && done.get(this.source.pathOf?.(item) ?? "")) || []) {
      if (!counts(act)) continue;
      if (act.post === null) return null;
      if ("post" in now) now = { ...now, post: { ...(now.post as Post), ...act.post } };
    }
    return now;
  }

  private look(): void {
    let changed = false;
    for (const item of this.timeline.shown) {
      const now = this.acted(item, ({ n }) => n > this.looked);
      changed ||= now !== item;
      if (now === null) this.timeline.remove(item.id);
      else if (now !== item) this.timeline.change(item.id, () => now);
    }
    this.looked = this.source.me.acts.count;
    if (changed) this.update({});
  }

  private update(change: Partial<ListState<T>>): void {
    const { shown, waiting, more } = this.timeline;
    const items = this.merge(shown.filter(this.keep)),
      last = shown.at(-1);
    this.state.set({
      ...this.state.get(),
      items,
      waiting: waiting.filter(this.keep).length,
      more: more === true,
      barren: more === true && (!last || last.id === this.above),
      ...change,
    });
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
    const reading = (this.reading = new AbortController());
    this.update({ loadingMore: true, moreError: null });
    try {
      const page = await this.source.after(last, reading.signal);
      // The list may have begun again meanwhile: then this page does not continue it.
      if (this.timeline.shown.at(-1)?.id === last?.id) {
        if (page?.items.length === 0) this.above = last?.id;
        if (page) this.timeline.append(this.now(page.items), page.more);
        else if (last) this.restart();
        else this.timeline.append([], false); // of this source, nothing is below an empty page
      }
      this.update({ loadingMore: false });
    } catch (error) {
      this.update({ loadingMore: false, ...(!reading.signal.aborted && { moreError: error as Error }) });
    }
  }

  private restart(): void {
    this.timeline.shown = [];
    this.timeline.show();
  }

  /** Reads the first page again at once after an error, and does not wait for the next try. */
  retry(): void {
    if (!this.listens) return;
    this.stop();
    this.update({ status: this.timeline.shown.length === 0 ? "loading" : "offline", error: null });
    this.listen();
  }

  /** See Source.refresh. Acts of this page do it by themselves. */
  refresh(): void {
    this.source.refresh?.();
  }

  /** Ends the list for good. */
  close(): void {
    this.state.end();
  }
}
