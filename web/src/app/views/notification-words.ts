/** Sentences of notifications: "Ann, Ben and 10 others liked your post". Pure. */
import type { Notification, Verb } from "relationindex-client";

/** A part of a sentence: words, an account's name, or the act, which links to its object. */
export type Part = { words: string } | { actor: string } | { what: string };

const mostNamed = 2;

const whats: Record<Verb, [one: string, many: string]> = {
  follow: ["follows you", "follow you"],
  request: ["asks to follow you", "ask to follow you"],
  like: ["liked your post", "liked your post"],
  comment: ["commented on your post", "commented on your post"],
  mention: ["wrote a post to you", "wrote a post to you"],
};

export function partsOf({ verb, count, actors }: Pick<Notification, "verb" | "count" | "actors">): Part[] {
  const named: Part[] = actors.slice(0, mostNamed).map((actor) => ({ actor }));
  const others = verb === "comment" ? otherCommenters(actors) : verb === "mention" ? 0 : count - named.length;
  const people = named.length === 0 ? [{ words: "Somebody" }] : others > 0 ? [...named, { words: othersOf(others) }] : named;
  const joined = people.flatMap((part, i) => [...(i === 0 ? [] : [{ words: i === people.length - 1 ? " and " : ", " }]), part]);
  const what = verb ? whats[verb][people.length > 1 ? 1 : 0] : "did something that this page does not know yet";
  const counted = verb === "comment" ? "comments" : verb === "mention" ? "posts" : undefined;
  const more = counted && count > actors.length ? [{ words: ` (${count.toLocaleString()} ${counted})` }] : [];
  return [...joined, { words: " " }, { what }, ...more];
}

/**
 * Returns the number of commenters without a name in the sentence. `actors` has at most five: if it has five, there may be more.
 */
const otherCommenters = (actors: string[]): number => (actors.length < 5 ? actors.length - mostNamed : Infinity);

function othersOf(count: number): string {
  if (count === Infinity) return "others";
  return count === 1 ? "1 other" : `${count.toLocaleString()} others`;
}
