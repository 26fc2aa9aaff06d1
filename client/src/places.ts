/**
 * The entries of a timeline, decoded from the documents of each layout. An item is one entry. A bucket has a sequence, a day has
 * its date, and both have a map of entries.
 */
import type { Item } from "./timeline.ts";

/** A post's place in the account's timeline. */
export interface Place extends Item {
  /** The bucket's sequence, or the day's date; "": an item. */
  part: string;
  /** The time of the post, or of a comment that lifted it, in microseconds since 1970. */
  at: number;
  author: string;
  kind: string;
  /** Hidden by the account, or expired. */
  hidden: boolean;
}

type Fields = Record<string, unknown>;

/** Returns the place of an item: a document with the post's id. */
export const placeOf = (id: string, data: Fields, now: number): Place => place("", id, data, isOver(data, now));

/** Returns the places in a bucket or a day, newest first. */
export function placesIn(part: string, data: Fields, now: number): Place[] {
  const entries = isMap(data["entries"]) ? Object.entries(data["entries"]) : [];
  const over = isOver(data, now);
  return entries.map(([id, entry]) => place(part, id, isMap(entry) ? entry : {}, over)).sort((a, b) => (a.order < b.order ? 1 : -1));
}

function place(part: string, id: string, data: Fields, over: boolean): Place {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  const at = typeof data["at"] === "number" && data["at"] > 0 ? Math.min(data["at"], Number.MAX_SAFE_INTEGER) : 0;
  return {
    id,
    part,
    at,
    author: text("author"),
    kind: text("kind"),
    order: `${part} ${String(Math.floor(at)).padStart(16, "0")} ${id}`,
    hidden: over || data["hidden"] === true,
  };
}

/** Reports whether an entry has expired: Firestore may delete it a day later. */
function isOver(data: Fields, now: number): boolean {
  const until = data["expireAt"];
  return isMap(until) && "toMillis" in until && typeof until["toMillis"] === "function" && (until.toMillis() as number) <= now;
}

const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
