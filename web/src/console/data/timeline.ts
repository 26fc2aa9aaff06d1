/**
 * Documents of a reader's timeline, users/{reader}/timeline/…, with the names of timelines/layout. A bucket has a sequence, a day
 * has its date, and both have a map of entries. Any other document is an entry itself.
 */
import type { Db } from "./connect";
import { type Fields, map, text } from "./documents";
import { counter, live, type Live, type Stop } from "./live";
import { timelineOf } from "./queries";

export interface Entry {
  post: string;
  author: string;
  /** The account whose followers get the post; "" if the post names the reader. */
  audience: string;
  kind: string;
  at: Date | null;
}

export interface TimelineDocument {
  id: string;
  layout: "items" | "buckets" | "days";
  /** The newest first. An item has one entry. */
  entries: Entry[];
  /** The sequence of a bucket; 0 in other documents. */
  sequence: number;
  /** In the bucket open: the number of entries in all buckets. */
  total: number;
  /** In a bucket: the most entries that fit; 0 if the document does not say. */
  size: number;
  /** In a bucket: the most closed buckets of the timeline; 0 without a cap, and if the document does not say. */
  slots: number;
}

export interface Timeline {
  /** The newest documents of each layout. */
  documents: TimelineDocument[];
  /** The number of all documents, including documents that are no valid part of a timeline. */
  count: number;
}

/** The id of the bucket that receives new entries. */
export const openBucket = "open";

export function timelineDocument(id: string, data: Fields): TimelineDocument {
  const layout = typeof data["sequence"] === "number" ? "buckets" : typeof data["day"] === "string" ? "days" : "items";
  const entries = layout === "items" ? [entry(id, data)] : Object.entries(map(data["entries"]) ?? {}).map(([post, value]) => entry(post, map(value) ?? {}));
  const known = (name: string) => (Number.isSafeInteger(data[name]) ? Math.max(0, data[name] as number) : 0);
  return {
    id,
    layout,
    entries: entries.sort(newestFirst),
    sequence: known("sequence"),
    total: known("total"),
    size: known("size"),
    slots: known("slots"),
  };
}

function entry(post: string, data: Fields): Entry {
  const at = data["at"]; // microseconds
  return {
    post,
    author: text(data["author"]),
    audience: text(data["audience"]),
    kind: text(data["kind"]),
    at: typeof at === "number" && !Number.isNaN(new Date(at / 1000).getTime()) ? new Date(at / 1000) : null,
  };
}

export function newestFirst(a: Entry, b: Entry): number {
  return (b.at?.getTime() ?? 0) - (a.at?.getTime() ?? 0) || (a.post < b.post ? 1 : -1);
}

/** Shows a reader's timeline now and after each change, until stopped. */
export function watchTimeline(db: Db, reader: string, show: (now: Live<Timeline>) => void): Stop {
  const { newest, all } = timelineOf(db, reader);
  const known: TimelineDocument[][] = [];
  let count = 0;
  const draw = () => {
    if (newest.some((_, n) => known[n] === undefined)) return;
    const documents = [...new Map(known.flat().map((d) => [d.id, d])).values()];
    show({ state: "ready", value: { documents, count: Math.max(count, documents.length) } });
  };
  const counted = counter(all, (n) => {
    count = n;
    draw();
  });
  const stops = newest.map((query, n) =>
    live(query, timelineDocument, (now) => {
      if (now.state === "failed") return show(now);
      if (now.state !== "ready") return;
      known[n] = now.value;
      draw();
      counted.again();
    }),
  );
  return () => [...stops, counted.stop].forEach((stop) => stop());
}
