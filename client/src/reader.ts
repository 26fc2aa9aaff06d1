/**
 * The account's decisions about its timeline: filters in users/{me}/settings/feed, and hidden posts. Clients write these, the page
 * shows them at once, and functions apply them a moment later. users/{me}/settings/read has the time up to which the account has
 * read; functions do not use it.
 */
import { arrayRemove, arrayUnion, deleteDoc, getDocs, limit, orderBy, query, serverTimestamp, setDoc, Timestamp } from "firebase/firestore";
import { ClientError, until } from "./errors.ts";
import { hasRoom, patternsOf, type Filters } from "./filters.ts";
import { listenDoc } from "./listen.ts";
import { mark } from "./marks.ts";
import type { Me } from "./me.ts";
import { act, once } from "./pace.ts";
import { isHidden } from "./page.ts";
import { hiddenPostPath, hiddenPostsPath, readPath, settingsPath } from "./paths.ts";
import { Value } from "./value.ts";

/** The rules reject a seenAt less than an hour after the last. */
const seenEvery = 3_600_000;

/** The rules accept a readAt up to five minutes ahead of the server. This leaves a minute for clocks that differ. */
const ahead = 4 * 60_000;

export class Reader {
  readonly settings = new Value<Filters>({ hide: [], show: [] });
  /** The time of the newest entry that the account has seen, in microseconds since 1970; 0: none. */
  readonly readAt = new Value(0);
  /** Posts hidden (true) or shown again (false) since the page was opened. Timeline entries have this a moment later. */
  readonly hidden = new Value<ReadonlyMap<string, boolean>>(new Map());
  private stops: (() => void)[];
  /** The last seenAt of this page or of another; 0: not known yet. */
  private seenAt = 0;

  /** Costs two reads at the start, one for each change, and at most one write of seenAt an hour. */
  constructor(private me: Me) {
    this.stops = [
      listenDoc(me, settingsPath(me.db, me.id), (found) => {
        const data = found.data({ serverTimestamps: "estimate" }) ?? {};
        this.settings.set({ hide: patternsOf(data.hide), show: patternsOf(data.show) });
        if (!found.metadata.fromCache && this.seenAt === 0) {
          this.seenAt = data.seenAt instanceof Timestamp ? data.seenAt.toMillis() : 1;
          this.sayIAmHere();
        }
      }),
      listenDoc(me, readPath(me.db, me.id), (found) => {
        const readAt: unknown = found.get("readAt");
        // readAt never goes back: a snapshot can be older than the last markRead.
        this.readAt.set(Math.max(this.readAt.get(), readAt instanceof Timestamp ? micros(readAt) : 0));
      }),
      me.onReturn(() => this.sayIAmHere()),
    ];
  }

  /** Writes seenAt if the last one is an hour old: at the start, and when the page becomes visible again. */
  private sayIAmHere(): void {
    if (isHidden() || !this.me.isCurrent || this.seenAt === 0 || Date.now() - this.seenAt < seenEvery) return;
    this.seenAt = Date.now();
    // Rejected if another tab was first, or if this clock is ahead: the next start tries again.
    setDoc(settingsPath(this.me.db, this.me.id), { seenAt: serverTimestamp() }, { merge: true }).catch(() => {});
  }

  /** Hides a post: one write. May be repeated. */
  async hidePost(id: string): Promise<void> {
    const path = hiddenPostPath(this.me.db, this.me.id, id);
    await this.decide(id, true, () => once(this.me, "hidden", id, path, { createdAt: serverTimestamp() }));
  }

  /** Shows a hidden post again: one delete. May be repeated. */
  async showPost(id: string): Promise<void> {
    this.me.check();
    await this.decide(id, false, () => deleteDoc(hiddenPostPath(this.me.db, this.me.id, id)));
  }

  private async decide(id: string, hidden: boolean, write: () => Promise<void>): Promise<void> {
    this.me.check();
    const before = this.hidden.get();
    this.hidden.set(new Map(before).set(id, hidden));
    try {
      await write();
    } catch (error) {
      const now = new Map(this.hidden.get());
      if (now.get(id) !== hidden) throw error; // a later decision stays
      if (before.has(id)) now.set(id, before.get(id)!);
      else now.delete(id);
      this.hidden.set(now);
      throw error;
    }
  }

  /** Reads the ids of hidden posts, the last hidden first: one read for each, at most 20. */
  async hiddenPosts(signal?: AbortSignal): Promise<string[]> {
    this.me.check();
    return (await until(signal, getDocs(query(hiddenPostsPath(this.me.db, this.me.id), orderBy("createdAt", "desc"), limit(20))))).docs.map(({ id }) => id);
  }

  /**
   * Adds a pattern to a list, and removes it from the other: one write. Rejects with no-room, without a write, if the list is full.
   */
  async add(list: keyof Filters, pattern: string): Promise<void> {
    if (!hasRoom(this.settings.get()[list], pattern)) throw new ClientError("no-room", `no room in ${list}`);
    const other = list === "hide" ? "show" : "hide";
    await this.change({ [list]: arrayUnion(pattern), [other]: arrayRemove(pattern) });
  }

  /** Removes a pattern from both lists: one write. Posts that it hid come back a moment later. */
  async takeBack(pattern: string): Promise<void> {
    await this.change({ hide: arrayRemove(pattern), show: arrayRemove(pattern) });
  }

  /** Records that the account has seen all entries up to a time, in microseconds since 1970: one write. */
  async markRead(at: number): Promise<void> {
    const latest = Math.min(at, (Date.now() + ahead) * 1000);
    const before = this.readAt.get();
    if (latest <= before) return;
    try {
      await mark(this.me, "readAt", timestamp(latest));
    } catch (error) {
      if (this.readAt.get() === latest) this.readAt.set(before);
      throw error;
    }
  }

  private async change(fields: Record<string, unknown>): Promise<void> {
    await act(this.me, "filters", "feed", (batch) => batch.set(settingsPath(this.me.db, this.me.id), fields, { merge: true }));
  }

  close(): void {
    for (const stop of this.stops) stop();
    for (const value of [this.settings, this.readAt, this.hidden]) value.end();
  }
}

const micros = (time: Timestamp): number => time.seconds * 1e6 + Math.floor(time.nanoseconds / 1000);
const timestamp = (at: number): Timestamp => new Timestamp(Math.floor(at / 1e6), Math.floor(at % 1e6) * 1000);
