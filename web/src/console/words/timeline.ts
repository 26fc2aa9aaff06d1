/** Documents of a timeline in order and in words. Pure. */
import { type Entry, newestFirst, openBucket, type TimelineDocument } from "../data/timeline";
import { count, number } from "./numbers";

/** A document with entries, or all items. */
export interface Part {
  id: string;
  name: string;
  /** The newest first. */
  entries: Entry[];
  /** The most entries; 0: not known. */
  most: number;
  /** "sequence 7"; "" for a part without a sequence. */
  about: string;
  /** The place of a closed bucket in a ring; "" for any other part. */
  slot: "newest" | "overwritten next" | "";
}

/** Returns the bucket open, and the number of slots of the ring, which open contains. 0 slots: no ring. */
function ringOf(documents: TimelineDocument[]) {
  const open = documents.find((d) => d.layout === "buckets" && d.id === openBucket);
  return { open, slots: open?.slots ?? 0 };
}

const inLayout = (documents: TimelineDocument[], layout: TimelineDocument["layout"]) => documents.filter((d) => d.layout === layout);

/** Returns the parts: open, then closed buckets, days and items. Each kind has the newest first. */
export function parts(documents: TimelineDocument[]): Part[] {
  const { open, slots } = ringOf(documents);
  const laterId = (a: TimelineDocument, b: TimelineDocument) => (a.id < b.id ? 1 : -1);
  const buckets = inLayout(documents, "buckets").sort((a, b) => Number(b === open) - Number(a === open) || b.sequence - a.sequence || laterId(a, b));
  const items = inLayout(documents, "items").flatMap((d) => d.entries);
  const slot = (d: TimelineDocument) => {
    if (!open || slots === 0 || d === open) return "";
    if (open.sequence > slots && d.sequence === open.sequence - slots) return "overwritten next"; // also in a ring of one slot
    return d.sequence === open.sequence - 1 ? "newest" : "";
  };
  const part = (id: string, name: string, entries: Entry[], bucket?: TimelineDocument): Part => ({
    id,
    name,
    entries,
    most: bucket?.size ?? 0,
    about: bucket ? `sequence ${number(bucket.sequence)}` : "",
    slot: bucket ? slot(bucket) : "",
  });
  return [
    ...buckets.map((d) => part(d.id, d.id, d.entries, d)),
    ...inLayout(documents, "days")
      .sort(laterId)
      .map((d) => part(d.id, d.id, d.entries)),
    ...(items.length > 0 ? [part("/", "items", items.sort(newestFirst))] : []), // no id has a slash
  ];
}

/** Returns a summary: "7 entries in buckets, ring of 3 slots, 1 free". */
export function summary(documents: TimelineDocument[]): string {
  const { open, slots } = ringOf(documents);
  const days = inLayout(documents, "days"),
    items = inLayout(documents, "items");
  const inDays = days.reduce((n, d) => n + d.entries.length, 0),
    free = open ? Math.max(0, slots - open.sequence + 1) : 0;
  return [
    open && `${count(open.total, "entry", "entries")} in buckets`,
    slots > 0 && `ring of ${count(slots, "slot")}`,
    free > 0 && `${number(free)} free`,
    days.length > 0 && `${count(inDays, "entry", "entries")} in ${count(days.length, "day")}`,
    items.length > 0 && count(items.length, "item"),
  ]
    .filter(Boolean)
    .join(", ");
}
