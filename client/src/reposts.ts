/**
 * Reposts: posts without a text of their own, whose field repostOf names the post that they show. A feed shows several of the
 * same post as one.
 */
import type { Firestore } from "firebase/firestore";
import { deletePost, writePost, type Post } from "./posts.ts";

/** An account reposts a post once: the id says so. */
const repostId = (me: string, post: string): string => `${me}.${post}`;

/**
 * Reposts a post for my followers: one write, of a post of the kind "repost". May be repeated.
 * Refused (permission-denied) if both ids have more than 127 bytes, or the id is taken.
 */
export async function repost(db: Firestore, me: string, post: string): Promise<void> {
  await writePost(db, repostId(me, post), me, { text: "", audience: me, to: [], refs: [], kind: "repost", repostOf: post });
}

/** Takes a repost back: one delete. May be repeated. */
export async function takeBackRepost(db: Firestore, me: string, post: string): Promise<void> {
  await deletePost(db, repostId(me, post));
}

/** An item of a list that may stand for several reposts. */
export interface Grouped {
  post: Post;
  /** Who reposted it, the newest first; undefined of a post itself. */
  reposters?: string[];
  /** The ids of the posts that it stands for, its own the first; undefined where it stands for itself alone. */
  ids?: string[];
}

/**
 * One item for each original: the first, with the names of all that repost it. So the newest keeps its place, and an original
 * that has come by itself is not there twice. Pure.
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
