/**
 * What I decide about my timeline: users/{me}/settings/feed, and the posts that I hide. Clients write them, and the
 * functions act on them a moment later; the page shows what I decided at once. And up to where I have read, in
 * users/{me}/settings/read, on which no function acts.
 */
import { arrayRemove, arrayUnion, deleteDoc, getDoc, getDocs, limit, onSnapshot, orderBy, query, serverTimestamp, setDoc, Timestamp, type Firestore } from "firebase/firestore";
import { ClientError } from "./errors.ts";
import { hasRoom, patternsOf, type Filters } from "./filters.ts";
import { act } from "./pace.ts";
import { isHidden, watchReturn } from "./page.ts";
import { hiddenPostPath, hiddenPostsPath, readPath, settingsPath } from "./paths.ts";
import { Value } from "./value.ts";

/** The rules refuse seenAt sooner than an hour after the last. */
const seenEvery = 3_600_000;

/** How far ahead of the server readAt may be is five minutes; clocks differ. */
const ahead = 4 * 60_000;

export class Reader {
  readonly settings = new Value<Filters>({ hide: [], show: [] });
  /** The time of the newest entry that I have seen, in microseconds since 1970; 0 before the first. */
  readonly readAt = new Value(0);
  /** Posts that I have hidden (true) or brought back (false) since the page was opened: the timeline's entry says so later. */
  readonly hidden = new Value<ReadonlyMap<string, boolean>>(new Map());
  private stops: (() => void)[];
  /** When this page last said that I am there, or that another had; 0: not yet known. */
  private seenAt = 0;

  /** Costs two reads at the start, and one for each change; one write an hour at most, which tells that I am there. */
  constructor(private db: Firestore, private me: string) {
    this.stops = [
      onSnapshot(settingsPath(db, me), { includeMetadataChanges: true }, (found) => {
        const data = found.data({ serverTimestamps: "estimate" }) ?? {};
        this.settings.set({ hide: patternsOf(data.hide), show: patternsOf(data.show) });
        if (!found.metadata.fromCache && this.seenAt === 0) {
          this.seenAt = data.seenAt instanceof Timestamp ? data.seenAt.toMillis() : 1;
          this.sayIAmHere();
        }
      }, () => {}), // without settings the timeline is as it would be without any
      onSnapshot(readPath(db, me), (found) => {
        const readAt: unknown = found.get("readAt");
        // It never goes back: a snapshot can be older than what was marked here a moment ago.
        this.readAt.set(Math.max(this.readAt.get(), readAt instanceof Timestamp ? micros(readAt) : 0));
      }, () => {}), // without it all is new
      watchReturn(() => this.sayIAmHere()),
    ];
  }

  /** seenAt, unless it has been written within the hour: at the start, and when I come back to a page that has stayed open. */
  private sayIAmHere(): void {
    if (isHidden() || this.seenAt === 0 || Date.now() - this.seenAt < seenEvery) return;
    this.seenAt = Date.now();
    // Refused if another tab came first, or if this clock is fast: the next start tries again.
    setDoc(settingsPath(this.db, this.me), { seenAt: serverTimestamp() }, { merge: true }).catch(() => {});
  }

  /** Hides a post: one write. May be repeated. */
  async hidePost(id: string): Promise<void> {
    const path = hiddenPostPath(this.db, this.me, id);
    await this.decide(id, true, async () => {
      try {
        await act(this.db, "hidden", id, (batch) => batch.set(path, { createdAt: serverTimestamp() }));
      } catch (error) {
        // The second time it is refused, since its createdAt would move: nothing has changed.
        if (!(await getDoc(path).catch(() => null))?.exists()) throw error;
      }
    });
  }

  /** Brings a hidden post back: one delete. May be repeated. */
  async showPost(id: string): Promise<void> {
    await this.decide(id, false, () => deleteDoc(hiddenPostPath(this.db, this.me, id)));
  }

  private async decide(id: string, hidden: boolean, write: () => Promise<void>): Promise<void> {
    const before = this.hidden.get();
    this.hidden.set(new Map(before).set(id, hidden));
    try {
      await write();
    } catch (error) {
      const now = new Map(this.hidden.get());
      if (before.has(id)) now.set(id, before.get(id)!);
      else now.delete(id);
      this.hidden.set(now);
      throw error;
    }
  }

  /** The ids of posts that I hide, those hidden last first: one read for each, at most 20. */
  async hiddenPosts(): Promise<string[]> {
    return (await getDocs(query(hiddenPostsPath(this.db, this.me), orderBy("createdAt", "desc"), limit(20)))).docs.map(({ id }) => id);
  }

  /** Puts a pattern into a list, and takes it out of the other: one write. Rejected locally if the list is full. */
  async add(list: keyof Filters, pattern: string): Promise<void> {
    if (!hasRoom(this.settings.get()[list], pattern)) throw new ClientError("no-room", `no room in ${list}`);
    const other = list === "hide" ? "show" : "hide";
    await this.change({ [list]: arrayUnion(pattern), [other]: arrayRemove(pattern) });
  }

  /** Takes a pattern out of both lists: one write. What it hid comes back a moment later. */
  async takeBack(pattern: string): Promise<void> {
    await this.change({ hide: arrayRemove(pattern), show: arrayRemove(pattern) });
  }

  /** I have seen all up to this time: one write. */
  async markRead(at: number): Promise<void> {
    const latest = Math.min(at, (Date.now() + ahead) * 1000);
    const before = this.readAt.get();
    if (latest <= before) return;
    try {
      await setDoc(readPath(this.db, this.me), { readAt: timestamp(latest) }, { merge: true }); // notifiedAt is there too
    } catch (error) {
      if (this.readAt.get() === latest) this.readAt.set(before);
      throw error;
    }
  }

  private async change(fields: Record<string, unknown>): Promise<void> {
    await act(this.db, "filters", "feed", (batch) => batch.set(settingsPath(this.db, this.me), fields, { merge: true }));
  }

  close(): void {
    for (const stop of this.stops) stop();
    for (const value of [this.settings, this.readAt, this.hidden]) value.end();
  }
}

const micros = (time: Timestamp): number => time.seconds * 1e6 + Math.floor(time.nanoseconds / 1000);
const timestamp = (at: number): Timestamp => new Timestamp(Math.floor(at / 1e6), Math.floor(at % 1e6) * 1000);
