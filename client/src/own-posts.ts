/** The account's new posts, shown at the top of its feed before the feed has them. */
import { endBefore, limit, query, Timestamp } from "firebase/firestore";
import { pageSize, type Entry } from "./entry.ts";
import { listenQuery } from "./listen.ts";
import type { Me } from "./me.ts";
import type { Page, Source } from "./paged.ts";
import { postsOf, toPost } from "./posts.ts";
import { pending, timeOrder } from "./query.ts";

/** Posts of this time before the page was opened are asked too, in ms: clocks differ. */
const before = 5 * 60_000;

/**
 * A feed with the account's new posts: unsent ones, also from an earlier visit, and those written since the page was opened, at most
 * 20. A post reaches a feed when the functions have run: a moment after the server has the post, or with the next poll of Feed. When
 * the feed has it, the feed's own entry takes its place. If authors do not receive their own posts, it shows for this visit only.
 *
 * Costs one read at the start, and one for each new post of the account.
 */
export function withOwnPosts<P>(me: Me<P>, feed: Source<Entry<P>>): Source<Entry<P>> {
  const since = Timestamp.fromMillis(Date.now() - before);
  return {
    ...feed,
    first(changed, failed) {
      let own: Entry<P>[] = [];
      let page: Page<Entry<P>> | undefined;
      let error: Error | undefined; // since the feed's last page
      const show = () => {
        for (const { id } of page?.items ?? []) me.written.delete(id); // an entry that leaves the feed does not come back from here
        const items = page?.items ?? [],
          originals = new Set(items.map(({ id, post }) => post.repostOf || id));
        const above = own.filter(({ id, post: { repostOf, hidden } }) => me.written.has(id) && !hidden && !originals.has(repostOf));
        // An unsent post shows also while the feed does not answer.
        if (page || above.length > 0) changed({ ...(page ?? { more: undefined, fromCache: true }), items: [...above, ...items] });
        if (error) failed(error);
      };
      // A cursor, because for "where" of the SDK a time that the server has not set yet is no time.
      const stopOwn = listenQuery(
        me,
        query(postsOf(me), endBefore(since), limit(pageSize)),
        ({ docs }) => {
          // A post without the server's time is unsent, perhaps from an earlier visit.
          for (const found of docs) if (found.get("createdAt") === null) me.written.add(found.id);
          own = docs
            .filter(({ id }) => me.written.has(id))
            .map((found) => ({ id: found.id, order: `${pending}${timeOrder(found, "createdAt")}`, post: toPost(me, found), own: true }));
          show();
        },
        failed,
      );
      const stop = feed.first(
        (next) => {
          page = next;
          error = undefined;
          show();
        },
        (now) => failed((error = now)),
      );
      return () => {
        stop();
        stopOwn();
      };
    },
    after: (last, signal) => feed.after(last?.own ? undefined : last, signal),
  };
}
