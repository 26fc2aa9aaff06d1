/** The account's likes of the posts on a page: read together, and changed at once. */
import type { Firestore } from "firebase/firestore";
import { like, mostAsked, ownLikes, unlike } from "./likes.ts";
import { Value } from "./value.ts";

export interface OwnLike {
  mine: boolean;
  /** The like of this page, and the number that the functions had counted before it. */
  ahead: number;
  counted: number;
}

/** Returns the number of likes to show. It includes a new like of this page until the functions write a new number. */
export function shownLikes(counted: number, own: OwnLike | undefined): number {
  if (!own) return counted;
  return Math.max(own.mine ? 1 : 0, own.counted === counted ? counted + own.ahead : counted);
}

export class OwnLikes {
  private known = new Map<string, Value<OwnLike | undefined>>();
  private failed = new Set<string>();
  private asked: string[] = [];
  private asking: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private db: Firestore, private me: string) {}

  /**
   * Returns whether the account likes a post; undefined: not known yet, or closed. Calls of the same moment become one query of up
   * to 30 posts.
   */
  of(post: string): Value<OwnLike | undefined> {
    let value = this.known.get(post);
    if (!value || this.failed.delete(post)) {
      value ??= new Value<OwnLike | undefined>(undefined);
      this.known.set(post, value);
      if (!this.closed && this.asked.push(post) === 1) this.asking = setTimeout(() => void this.ask());
    }
    return value;
  }

  /** Likes a post, or removes the like. The change shows at once; if the server rejects it, the old state returns. */
  async toggle(post: string, counted: number): Promise<void> {
    const value = this.of(post);
    const before = value.get();
    const mine = !before?.mine;
    const ahead = (before?.counted === counted ? before.ahead : 0) + (mine ? 1 : -1);
    const now = { mine, ahead, counted };
    value.set(now);
    try {
      await (mine ? like : unlike)(this.db, this.me, post);
    } catch (error) {
      if (value.get() === now) {
        value.set(before);
        if (!before) this.failed.add(post); // its read was ignored
      }
      throw error;
    }
  }

  private async ask(): Promise<void> {
    const asked = this.asked;
    this.asked = [];
    for (let i = 0; i < asked.length; i += mostAsked) {
      const some = asked.slice(i, i + mostAsked);
      const liked = await ownLikes(this.db, this.me, some).catch(() => null);
      for (const post of some) this.answer(post, liked?.has(post));
    }
  }

  /** Reads likes. A like pressed meanwhile is newer and stays. After a failure, the next call for the post reads again. */
  private answer(post: string, mine: boolean | undefined): void {
    const value = this.known.get(post);
    if (!value || value.get()) return;
    if (mine === undefined) this.failed.add(post);
    else value.set({ mine, ahead: 0, counted: 0 });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.asking);
    for (const value of this.known.values()) value.end();
  }
}
