/** How many notifications are new to me: those after notifiedAt of users/{me}/settings/read. */
import { getCountFromServer, limit, onSnapshot, query, serverTimestamp, setDoc, Timestamp, where, type Firestore } from "firebase/firestore";
import { newest } from "./notifications";
import { readPath } from "./paths";
import { Value } from "./value";

/** The number is exact below this; then it is "99+". */
const mostCounted = 100;

export const badgeText = (count: number): string => (count >= mostCounted ? `${mostCounted - 1}+` : count > 0 ? String(count) : "");

export class Badge {
  /** At most 100. */
  readonly unseen = new Value(0);
  /** Up to when I have seen them, by the server's clock; null before the first time, undefined while it is not known. */
  readonly notifiedAt = new Value<Timestamp | null | undefined>(undefined);
  private stops: (() => void)[];
  /** Counts that have begun. */
  private counts = 0;

  /** Costs two reads at the start, then a read for each notification that comes; and each time a count, of one read. */
  constructor(private db: Firestore, private me: string) {
    this.stops = [
      onSnapshot(readPath(db, me), { includeMetadataChanges: true }, (found) => {
        if (!found.exists() && found.metadata.fromCache) return; // the server may have one
        const at: unknown = found.get("notifiedAt", { serverTimestamps: "previous" });
        this.seenUntil(at instanceof Timestamp ? at : null);
      }, () => {}),
      onSnapshot(query(newest(db, me), limit(1)), () => void this.count(), () => {}),
    ];
  }

  /** It never goes back: a snapshot can be older. */
  private seenUntil(at: Timestamp | null): void {
    const before = this.notifiedAt.get();
    if (before !== undefined && (!at || (before && at <= before))) return;
    this.notifiedAt.set(at);
    void this.count();
  }

  /** Counts again: a notification below the newest may have gone. A failure leaves what was known. */
  async count(): Promise<void> {
    const after = this.notifiedAt.get();
    if (after === undefined) return;
    const mine = ++this.counts;
    const all = newest(this.db, this.me);
    const unseen = query(after ? query(all, where("at", ">", after)) : all, limit(mostCounted));
    const counted = await getCountFromServer(unseen).then((found) => found.data().count, () => null);
    if (counted !== null && mine === this.counts) this.unseen.set(counted);
  }

  /** I have seen all until now: one write. The badge goes at once, and comes back if it is refused. */
  async markSeen(): Promise<void> {
    this.counts++; // what is being counted is older
    this.unseen.set(0);
    try {
      await setDoc(readPath(this.db, this.me), { notifiedAt: serverTimestamp() }, { merge: true }); // readAt is there too
    } catch (error) {
      void this.count();
      throw error;
    }
  }

  close(): void {
    for (const stop of this.stops) stop();
  }
}
