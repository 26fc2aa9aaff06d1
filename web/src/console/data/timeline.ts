/**
 * Documents of a reader's timeline, users/{reader}/timeline/…, with the names of timelines/layout. A bucket has a sequence, a day
 * has its date, and both have a map of entries. Any other document is an entry itself.
 */
import { type Fields, fieldsOf, map, text } from "./fields";

/** The audience is the account whose followers get the post; "" if the post names the reader. */
const entry = (post: string, data: Fields) => ({ post, ...fieldsOf(data, { author: text, audience: text, kind: text, at: moment }) });
export type Entry = ReturnType<typeof entry>;

/** Reads a time in microseconds. */
function moment(value: unknown): Date | null {
  const at = new Date(typeof value === "number" ? value / 1000 : NaN);
  return Number.isNaN(at.getTime()) ? null : at;
}

export const newestFirst = (a: Entry, b: Entry): number => (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0) || (a.post < b.post ? 1 : -1);

/** The id of the bucket that receives new entries. */
export const openBucket = "open";

const natural = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, value as number) : 0);

export function timelineDocument(id: string, data: Fields) {
  const layout: "buckets" | "days" | "items" = typeof data["sequence"] === "number" ? "buckets" : typeof data["day"] === "string" ? "days" : "items";
  const entries = layout === "items" ? [entry(id, data)] : Object.entries(map(data["entries"]) ?? {}).map(([post, value]) => entry(post, map(value) ?? {}));
  return {
    id,
    layout,
    /** The newest first. An item has one entry. */
    entries: entries.sort(newestFirst),
    /**
     * In a bucket: its sequence, the most entries that fit, and the most closed buckets of the timeline; 0 without a cap, or if the
     * document does not say. In the bucket open, total is the number of entries in all buckets.
     */
    ...fieldsOf(data, { sequence: natural, total: natural, size: natural, slots: natural }),
  };
}
export type TimelineDocument = ReturnType<typeof timelineDocument>;
