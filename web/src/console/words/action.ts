/** Actions in words, from the paths of the documents that clients wrote. Pure. */
import { isGroup, isolatedText } from "relationindex-client";
import type { Collections } from "../../shared/config";
import type { Action, Change, Costs } from "../data/actions";
import { clip, count, duration } from "./numbers";

/** Names and authors that the words need beside the paths. */
export interface Known {
  /** Returns the name of an account, or its id, ready to be shown. */
  person(uid: string): string;
  /** Returns the id of a post's author; undefined if the author is not known. */
  author(postId: string): string | undefined;
}

/** Returns an action in words: "bob, cy and dee follow ada; and 37 more". */
export function sentence(action: Pick<Action, "what" | "more">, collections: Collections, known: Known): string {
  const parts: { subjects: string[]; phrase: Phrase }[] = [];
  for (const change of action.what) {
    const phrase = phraseOf(change, collections, known);
    const last = parts.at(-1);
    if (last && phrase.one && last.phrase.one === phrase.one && last.phrase.object === phrase.object) last.subjects.push(phrase.subject);
    else parts.push({ subjects: [phrase.subject], phrase });
  }
  if (parts.length === 0) return action.more > 0 ? count(action.more, "event") : "Work in the background";
  const said = parts.map(({ subjects, phrase }) => say(subjects, phrase)).join(", ");
  return said.replace(/^(an author|the group)/, (start) => start[0]!.toUpperCase() + start.slice(1)) + (action.more > 0 ? `; and ${action.more} more` : "");
}

/** Returns the costs of an action: "3 reads, 22 writes, 4 invocations, 12 ms". */
export function cost(a: Costs & Pick<Action, "durationMs">): string {
  const deletes = a.deletes > 0 ? [count(a.deletes, "delete")] : [];
  return [count(a.reads, "read"), count(a.writes, "write"), ...deletes, count(a.invocations, "invocation"), duration(a.durationMs)].join(", ");
}

/**
 * A subject and its verb. `one` is the verb for one subject, `many` for several. Both are "" if the subject is the whole phrase.
 */
type Phrase = ReturnType<typeof phraseOf>;

function say(subjects: string[], { one, many, object }: Phrase): string {
  const names = [...new Set(subjects)],
    last = names.pop() ?? "";
  if (names.length > 0) return [`${names.join(", ")} and ${last}`, many, object].filter(Boolean).join(" ");
  return [last, one, object, subjects.length > 1 && `${subjects.length} times`].filter(Boolean).join(" ");
}

/** Verbs for one and for several subjects, by what was done to which document. */
const verbs = {
  follower: { created: ["follows", "follow"], updated: ["follows", "follow"], deleted: ["unfollows", "unfollow"] },
  blocked: { created: ["blocks", "block"], updated: ["blocks", "block"], deleted: ["unblocks", "unblock"] },
  group: { created: ["opens", "open"], updated: ["changes", "change"], deleted: ["is deleted", "are deleted"] },
  account: {
    created: ["signs up", "sign up"],
    updated: ["edits their profile", "edit their profiles"],
    deleted: ["deletes their account", "delete their accounts"],
  },
  post: { created: ["posts", "post"], updated: ["edits a post", "edit posts"], deleted: ["deletes a post", "delete posts"] },
} as const;

function phraseOf({ document, change }: Change, c: Collections, known: Known) {
  const [top, id = "", sub, second = "", ...rest] = document.split("/");
  const by = (subject: string, of: keyof typeof verbs, object = "") => {
    const [one, many] = verbs[of][change];
    return { subject, one, many, object };
  };
  if (rest.length === 0 && top === c.users && sub === c.followers)
    return by(known.person(second), "follower", known.person(id) + (change === "updated" ? " again" : ""));
  if (rest.length === 0 && top === c.users && sub === "blocked") return by(known.person(id), "blocked", known.person(second));
  if (top === c.users && sub === undefined) return isGroup(id) ? by(`the group ${known.person(id)}`, "group") : by(known.person(id), "account");
  if (top === c.posts && sub === undefined) {
    const author = known.author(id);
    return by(author === undefined ? "an author" : known.person(author), "post");
  }
  return { subject: `${isolatedText(clip(document, 60))} ${change}`, one: "", many: "", object: "" };
}
