/** How many notifications want me: those after notifiedAt of users/{me}/settings/read, and requests that wait for my answer. */
import { getCountFromServer, limit, onSnapshot, query, setDoc, Timestamp, where, type Firestore, type Query } from "firebase/firestore";
import { newest } from "./notifications.ts";
import { readPath, waitingPath } from "./paths.ts";
import { Value } from "./value.ts";

/** So many are listened to. If there are as many, all are counted. */
const listened = 20;

/** The number is exact below this. */
const mostCounted = 100;

export class Badge {
  /** At most 100. */
  readonly unseen = new Value(0);
  /** What a badge shows: unseen, and 1 more while requests to follow that I have seen wait for an answer. */
  readonly shown = new Value(0);
  /** Up to when I have seen them: `at` of the newest; null before the first time, undefined while it is not known. */
  readonly notifiedAt = new Value<Timestamp | null | undefined>(undefined);
  private stopRead: () => void;
  private stopUnseen = () => {};
  private stopWaiting: () => void;
  private stopSum: () => void;
  /** `at` of the notification of requests, while some wait. */
  private waitingAt: Timestamp | null = null;
  /** What is being stored as notifiedAt. */
  private marking: Timestamp | null = null;
  /** Changes of the number that have begun. */
  private changes = 0;

  /** Costs two reads at the start, one for each new notification up to 20, and one for each that comes. Above 20, each time a count too. */
  constructor(private db: Firestore, private me: string) {
    this.stopRead = onSnapshot(readPath(db, me), { includeMetadataChanges: true }, (found) => {
      if (!found.exists() && found.metadata.fromCache) return; // the server may have one
      if (found.metadata.hasPendingWrites) return; // it may be refused
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

  /** Requests that are unseen are counted with the others. */
  private sum(): void {
    const seen = this.marking ?? this.notifiedAt.get();
    this.shown.set(this.unseen.get() + (this.waitingAt && seen && this.waitingAt <= seen ? 1 : 0));
  }

  /** It never goes back: a snapshot can be older. */
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
    this.stopUnseen = onSnapshot(query(after, limit(listened)), ({ size }) => {
      const mine = ++this.changes;
      if (size < listened) this.unseen.set(size);
      else void this.count(query(after, limit(mostCounted)), mine);
    }, () => {});
  }

  /** A failure leaves what was known. */
  private async count(unseen: Query, mine: number): Promise<void> {
    const counted = await getCountFromServer(unseen).then((found) => found.data().count, () => null);
    if (counted !== null && mine === this.changes) this.unseen.set(counted);
  }

  /**
   * I have seen all up to `at`, that of the newest which was shown, and not up to now: what was done a moment ago may come late.
   * One write, unless that was seen before. The badge goes at once, and comes back if it is refused.
   */
  async markSeen(at: Timestamp): Promise<void> {
    if ([this.notifiedAt.get(), this.marking].some((before) => before && at <= before)) return;
    this.marking = at;
    this.changes++; // what is being counted is older
    this.unseen.set(0);
    try {
      await setDoc(readPath(this.db, this.me), { notifiedAt: at }, { merge: true }); // readAt is there too
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
