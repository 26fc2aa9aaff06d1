/**
 * The number on a badge: notifications after notifiedAt of users/{me}/settings/read, and follow requests that wait for an answer.
 */
import { getCountFromServer, limit, query, Timestamp, where, type Query } from "firebase/firestore";
import { listenDoc, listenQuery } from "./listen.ts";
import { mark } from "./marks.ts";
import type { Me } from "./me.ts";
import { newest } from "./notifications.ts";
import { readPath, waitingPath } from "./paths.ts";
import { Value } from "./value.ts";

/** The most unseen notifications in the listener. If it is full, a count query follows. */
const listened = 20;

/** The highest number that is counted. */
const mostCounted = 100;

export class Badge {
  /** The number of unseen notifications, at most 100. */
  readonly unseen = new Value(0);
  /** The number to show: unseen, plus 1 while seen follow requests wait for an answer. */
  readonly shown = new Value(0);
  /** `at` of the newest notification that was marked seen; null: none yet; undefined: not known yet. */
  readonly notifiedAt = new Value<Timestamp | null | undefined>(undefined);
  private closed = false;
  private stopRead: () => void;
  private stopUnseen = () => {};
  private stopWaiting: () => void;
  private stopSum: () => void;
  /** `at` of the notification about requests, while some wait. */
  private waitingAt: Timestamp | null = null;
  /** The notifiedAt that is being written. */
  private marking: Timestamp | null = null;
  /** `at` of the notifications in the listener. */
  private newest: unknown[] = [];
  /** The number of changes to `unseen` started so far. */
  private changes = 0;

  /**
   * Costs two reads at the start, one for each unseen notification up to 20, and one for each that arrives. From 20 on, each change
   * also costs a count.
   */
  constructor(private me: Me) {
    this.stopRead = listenDoc(me, readPath(me.db, me.id), (found) => {
      if (!found.exists() && found.metadata.fromCache) return; // the server may have the document
      if (found.metadata.hasPendingWrites) return; // the server may reject the write
      const at: unknown = found.get("notifiedAt");
      this.seenUntil(at instanceof Timestamp ? at : null);
    });
    this.stopWaiting = listenDoc(me, waitingPath(me.db, me.id), (found) => {
      const at: unknown = found.get("at");
      this.waitingAt = at instanceof Timestamp ? at : null;
      this.sum();
    });
    this.stopSum = this.unseen.subscribe(() => this.sum());
  }

  /** Returns the later of notifiedAt and marking. */
  private seen(): Timestamp | null {
    const read = this.notifiedAt.get() ?? null;
    return read && this.marking && read > this.marking ? read : (this.marking ?? read);
  }

  /** Adds 1 for requests that were seen; unseen ones are in unseen already. */
  private sum(): void {
    const seen = this.seen();
    this.shown.set(this.unseen.get() + (this.waitingAt && seen && this.waitingAt <= seen ? 1 : 0));
  }

  /** Sets notifiedAt, which never goes back: a snapshot can be older. */
  private seenUntil(at: Timestamp | null): void {
    const before = this.notifiedAt.get();
    if (before !== undefined && (!at || (before && at <= before))) return;
    this.notifiedAt.set(at);
    this.sum();
    this.listen();
  }

  /** Shows the number of the listener's notifications after the mark, also one that is being written. */
  private show(): void {
    const seen = this.seen();
    this.unseen.set(this.newest.filter((at) => !(seen && at instanceof Timestamp && at <= seen)).length);
  }

  private listen(): void {
    this.stopUnseen();
    if (this.closed) return;
    const at = this.notifiedAt.get();
    const all = newest(this.me);
    const after = at ? query(all, where("at", ">", at)) : all;
    this.stopUnseen = listenQuery(this.me, query(after, limit(listened)), ({ docs }) => {
      const mine = ++this.changes;
      this.newest = docs.map((found): unknown => found.get("at"));
      if (docs.length < listened) this.show();
      else void this.count(query(after, limit(mostCounted)), mine);
    });
  }

  /** Counts unseen notifications. If that fails, the old number stays. */
  private async count(unseen: Query, mine: number): Promise<void> {
    const counted = await getCountFromServer(unseen).then(
      (found) => found.data().count,
      () => null,
    );
    if (counted !== null && mine === this.changes) this.unseen.set(counted);
  }

  /**
   * Records that all notifications up to `at` were seen: one write, none if they were marked before. Pass `at` of the newest shown
   * notification, not the current time: this device's clock may be ahead of the functions'. The badge disappears at once, and
   * returns if the write is rejected.
   */
  async markSeen(at: Timestamp): Promise<void> {
    const seen = this.seen();
    if (seen && at <= seen) return;
    this.marking = at;
    this.changes++; // a count in progress is out of date
    this.show();
    try {
      await mark(this.me, "notifiedAt", at);
    } catch (error) {
      if (this.marking === at) this.marking = null; // a later call's stays
      this.listen();
      throw error;
    }
  }

  close(): void {
    this.closed = true;
    this.stopRead();
    this.stopUnseen();
    this.stopWaiting();
    this.stopSum();
    for (const value of [this.unseen, this.shown, this.notifiedAt]) value.end();
  }
}
