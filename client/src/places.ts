/**
 * The entries of a timeline, out of the documents of each layout. An item is one entry; a bucket has a sequence, a day
 * its date, and both have a map of entries. Pure: no SDK, no DOM.
 */
import type { Item } from "./timeline.ts";

/** Where a post stands in my timeline, and what is known of it there. */
export interface Place extends Item {
  /** The bucket's sequence or the day's date; "" of an item. */
  part: string;
  /** In microseconds since 1970: the post's time, or that of a comment which has lifted it. */
  at: number;
  author: string;
  kind: string;
  /** By me, or because its time is over. */
  hidden: boolean;
}

type Fields = Record<string, unknown>;

/** The place of an item, which is a document named for the post. */
export const placeOf = (id: string, data: Fields, now: number): Place => place("", id, data, isOver(data, now));

/** The places in a bucket or a day, the newest first. */
export function placesIn(part: string, data: Fields, now: number): Place[] {
  const entries = isMap(data["entries"]) ? Object.entries(data["entries"]) : [];
  const over = isOver(data, now);
  return entries.map(([id, entry]) => place(part, id, isMap(entry) ? entry : {}, over)).sort((a, b) => (a.order < b.order ? 1 : -1));
}

function place(part: string, id: string, data: Fields, over: boolean): Place {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  const at = typeof data["at"] === "number" && data["at"] > 0 ? Math.min(data["at"], Number.MAX_SAFE_INTEGER) : 0;
  return {
    id, part, at, author: text("author"), kind: text("kind"),
    order: `${part} ${String(Math.floor(at)).padStart(16, "0")} ${id}`,
    hidden: over || data["hidden"] === true,
  };
}

/** Firestore takes a day or so to delete what has expired. */
function isOver(data: Fields, now: number): boolean {
  const until = data["expireAt"];
  return isMap(until) && "toMillis" in until && typeof until["toMillis"] === "function" && (until.toMillis() as number) <= now;
}

const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
