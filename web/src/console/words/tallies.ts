/** Numbers of a document in words. Pure. */
import { count } from "./numbers";

const words: Record<string, [one: string, many: string]> = {
  followers: ["follower", "followers"],
  following: ["following", "following"],
  posts: ["post", "posts"],
  likes: ["like", "likes"],
  comments: ["comment", "comments"],
};

/** { likes: 2, comments: 1 } → "2 likes, 1 comment"; "" without numbers. Unknown numbers are left out. */
export function counted(counts: Record<string, number>): string {
  return Object.entries(words)
    .filter(([name]) => counts[name] !== undefined)
    .map(([name, [one, many]]) => count(counts[name] ?? 0, one, many))
    .join(", ");
}
