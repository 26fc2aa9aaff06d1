/**
 * Reposts: posts without a text. Their field repostOf has the id of the post that they show. A feed shows several reposts of one
 * post as one entry.
 */
import type { Me } from "./me.ts";
import { deletePost, writePost, type Post } from "./posts.ts";

/** Returns the id of a repost: an account reposts a post at most once. */
const repostId = (me: Me, post: string): string => `${me.id}.${post}`;

/**
 * Reposts a post to the account's followers: one write, of a post of the kind "repost". May be repeated.
 * Rejects with permission-denied if both ids together have more than 127 bytes, or another post has the repost's id.
 */
export async function repost(me: Me, post: string): Promise<void> {
  await writePost(me, { text: "", refs: [], kind: "repost", repostOf: post }, repostId(me, post));
}

/** Deletes a repost: one delete. May be repeated. */
export async function undoRepost(me: Me, post: string): Promise<void> {
  await deletePost(me, repostId(me, post));
}

/** An item of a list that may stand for several reposts. */
export interface Grouped {
  post: Post<unknown>;
  /** The accounts that reposted the post, newest first; undefined: the item is the post itself. */
  reposters?: string[];
  /** The ids of all posts in the group, the item's own first; undefined: the item stands for itself alone. */
  ids?: string[];
}

/**
 * Returns one item for each original post: the first one in the list, with all its reposters. So the newest repost keeps its
 * place, and an original that is also in the list is not shown twice.
 */
export function groupReposts<T extends Grouped>(items: T[]): T[] {
  const groups = new Map<string, T>();
  for (const item of items) {
    const { id, userId, repostOf } = item.post;
    const group = groups.get(repostOf || id);
    if (!group) {
      groups.set(repostOf || id, repostOf ? { ...item, reposters: [userId], ids: [id] } : item);
      continue;
    }
    if (repostOf && group.reposters && !group.reposters.includes(userId)) group.reposters.push(userId);
    groups.set(repostOf || id, { ...group, ids: [...(group.ids ?? [group.post.id]), id] });
  }
  return [...groups.values()];
}
