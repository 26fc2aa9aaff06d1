/** Actions in words, from the paths of the documents that clients wrote. Pure. */
import { isGroup, isolatedText } from "relationindex-client";
import type { Collections } from "../../shared/config";
import type { Action, Change } from "../data/actions";
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
  const parts: Phrase[] = [];
  for (const change of action.what) {
    const phrase = phraseOf(change, collections, known);
    const last = parts.at(-1);
    if (last && phrase.one && last.one === phrase.one && last.object === phrase.object) last.subjects.push(...phrase.subjects);
    else parts.push(phrase);
  }
  if (parts.length === 0) return action.more > 0 ? count(action.more, "event") : "Work in the background";
  const more = action.more > 0 ? `; and ${action.more} more` : "";
  return (
    parts
      .map(say)
      .join(", ")
      .replace(/^(an author|the group)/, (start) => start[0]!.toUpperCase() + start.slice(1)) + more
  );
}

/** Returns the costs of an action: "3 reads, 22 writes, 4 invocations, 12 ms". */
export function cost(a: Pick<Action, "reads" | "writes" | "deletes" | "invocations" | "durationMs">): string {
  const deletes = a.deletes > 0 ? [count(a.deletes, "delete")] : [];
  return [count(a.reads, "read"), count(a.writes, "write"), ...deletes, count(a.invocations, "invocation"), duration(a.durationMs)].join(", ");
}

/**
 * One verb and its subjects. `one` is the verb for one subject, `many` for several. Both are "" if the subject is the whole
 * phrase.
 */
interface Phrase {
  subjects: string[];
  one: string;
  many: string;
  object: string;
}

function say({ subjects, one, many, object }: Phrase): string {
  const names = [...new Set(subjects)];
  const last = names.at(-1) ?? "";
  if (names.length > 1) return [`${names.slice(0, -1).join(", ")} and ${last}`, many, object].filter(Boolean).join(" ");
  const times = subjects.length > 1 ? `${subjects.length} times` : "";
  return [last, one, object, times].filter(Boolean).join(" ");
}

function phraseOf({ document, change }: Change, c: Collections, known: Known): Phrase {
  const [top, id = "", sub, second = "", ...rest] = document.split("/");
  const by = (who: string, one: string, many: string, object: string): Phrase => ({ subjects: [who], one, many, object });
  const gone = change === "deleted";
  if (rest.length === 0 && top === c.users && sub === c.followers) {
    if (gone) return by(known.person(second), "unfollows", "unfollow", known.person(id));
    return by(known.person(second), "follows", "follow", known.person(id) + (change === "updated" ? " again" : ""));
  }
  if (rest.length === 0 && top === c.users && sub === "blocked") {
    return gone ? by(known.person(id), "unblocks", "unblock", known.person(second)) : by(known.person(id), "blocks", "block", known.person(second));
  }
  if (top === c.users && sub === undefined && isGroup(id)) {
    const [one, many] = { created: ["opens", "open"], updated: ["changes", "change"], deleted: ["is deleted", "are deleted"] }[change] as [string, string];
    return by(`the group ${known.person(id)}`, one, many, "");
  }
  if (top === c.users && sub === undefined) {
    if (gone) return by(known.person(id), "deletes their account", "delete their accounts", "");
    return change === "created" ? by(known.person(id), "signs up", "sign up", "") : by(known.person(id), "edits their profile", "edit their profiles", "");
  }
  if (top === c.posts && sub === undefined) {
    const author = known.author(id);
    const who = author === undefined ? "an author" : known.person(author);
    if (gone) return by(who, "deletes a post", "delete posts", "");
    return change === "updated" ? by(who, "edits a post", "edit posts", "") : by(who, "posts", "post", "");
  }
  return { subjects: [`${isolatedText(clip(document, 60))} ${change}`], one: "", many: "", object: "" };
}
