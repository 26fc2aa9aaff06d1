/** The account's likes of the posts on a page: read together, and changed at once. */
import { like, mostAsked, ownLikes, unlike } from "./likes.ts";
import type { Me } from "./me.ts";
import { Questions } from "./questions.ts";
import type { Value } from "./value.ts";

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
  private questions: Questions<OwnLike>;

  constructor(private me: Me) {
    this.questions = new Questions(me, mostAsked, async (posts) => {
      const liked = await ownLikes(me, posts);
      return new Map(posts.map((post) => [post, { mine: liked.has(post), ahead: 0, counted: 0 }]));
    });
  }

  /**
   * Returns whether the account likes a post; undefined: not known yet, as without a network, or closed. Calls of the same moment
   * become one query of up to 30 posts.
   */
  of(post: string): Value<OwnLike | undefined> {
    return this.questions.of(post);
  }

  /** Likes a post, or removes the like. The change shows at once; if the server rejects it, the old state returns. */
  async toggle(post: string, counted: number): Promise<void> {
    const before = this.of(post).get();
    const mine = !before?.mine;
    const ahead = (before?.counted === counted ? before.ahead : 0) + (mine ? 1 : -1);
    await this.questions.change(post, { mine, ahead, counted }, () => (mine ? like : unlike)(this.me, post));
  }

  close(): void {
    this.questions.close();
  }
}
