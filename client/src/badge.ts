/**
 * The number on a badge: notifications after notifiedAt of users/{me}/settings/read, and follow requests that wait for an answer.
 */
import { getCountFromServer, limit, onSnapshot, query, Timestamp, where, type Firestore, type Query } from "firebase/firestore";
import { mark } from "./marks.ts";
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
  private stopRead: () => void;
  private stopUnseen = () => {};
  private stopWaiting: () => void;
  private stopSum: () => void;
  /** `at` of the notification about requests, while some wait. */
  private waitingAt: Timestamp | null = null;
  /** The notifiedAt that is being written. */
  private marking: Timestamp | null = null;
  /** The number of changes to `unseen` started so far. */
  private changes = 0;

  /**
   * Costs two reads at the start, one for each unseen notification up to 20, and one for each that arrives. From 20 on, each change
   * also costs a count.
   */
  constructor(private db: Firestore, private me: string) {
    this.stopRead = onSnapshot(readPath(db, me), { includeMetadataChanges: true }, (found) => {
      if (!found.exists() && found.metadata.fromCache) return; // the server may have the document
      if (found.metadata.hasPendingWrites) return; // the server may reject the write
      const at: unknown = found.get("notifiedAt");
      this.seenUntil(at instanceof Timestamp ? at : null);
    }, () => {});
    this.stopWaiting = onSnapshot(waitingPath(db, me), (found) => {
      const at: unknown = found.get("at");
      this.waitingAt = at instanceof Timestamp ? at : null;
      this.sum();
    }, () => {});
    this.stopSum = this.unseen.watch(() => this.sum());
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

  private listen(): void {
    this.stopUnseen();
    const at = this.notifiedAt.get();
    const all = newest(this.db, this.me);
    const after = at ? query(all, where("at", ">", at)) : all;
    this.stopUnseen = onSnapshot(query(after, limit(listened)), ({ docs }) => {
      const mine = ++this.changes;
      const seen = this.seen(); // marking may be later than the start of this query
      if (docs.length < listened) this.unseen.set(docs.filter((found) => !(seen && found.get("at") <= seen)).length);
      else void this.count(query(after, limit(mostCounted)), mine);
    }, () => {});
  }

  /** Counts unseen notifications. If that fails, the old number stays. */
  private async count(unseen: Query, mine: number): Promise<void> {
    const counted = await getCountFromServer(unseen).then((found) => found.data().count, () => null);
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
    this.unseen.set(0);
    try {
      await mark(this.db, this.me, "notifiedAt", at);
    } catch (error) {
      this.marking = null;
      this.listen();
      throw error;
    }
  }

  close(): void {
    this.stopRead();
    this.stopUnseen();
    this.stopWaiting();
    this.stopSum();
    for (const value of [this.unseen, this.shown, this.notifiedAt]) value.end();
  }
}
