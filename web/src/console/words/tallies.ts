/** Numbers of a document in words. Pure. */
import { count } from "./numbers";

const words = { followers: "follower", following: "following", posts: "post", likes: "like", comments: "comment" };

/** { likes: 2, comments: 1 } → "2 likes, 1 comment"; "" without numbers. Unknown numbers are left out. */
export const tallies = (counts: Record<string, number>): string =>
  Object.entries(words)
    .filter(([many]) => counts[many] !== undefined)
    .map(([many, one]) => count(counts[many] ?? 0, one, many))
    .join(", ");
