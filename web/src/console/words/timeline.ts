/** Documents of a timeline in order and in words. Pure. */
import { type Entry, newestFirst, openBucket, type TimelineDocument } from "../data/timeline";
import { count, number } from "./numbers";

/** A document with entries, or all items. */
export type Part = ReturnType<typeof parts>[number];

/** Returns the bucket open, and the number of slots of the ring, which open contains. 0 slots: no ring. */
function ringOf(documents: TimelineDocument[]) {
  const open = documents.find((d) => d.layout === "buckets" && d.id === openBucket);
  return { open, slots: open?.slots ?? 0 };
}

const inLayout = (documents: TimelineDocument[], layout: TimelineDocument["layout"]) => documents.filter((d) => d.layout === layout);

/** Returns the parts: open, then closed buckets, days and items. Each kind has the newest first. */
export function parts(documents: TimelineDocument[]) {
  const { open, slots } = ringOf(documents);
  const laterId = (a: TimelineDocument, b: TimelineDocument) => (a.id < b.id ? 1 : -1);
  const buckets = inLayout(documents, "buckets").sort((a, b) => Number(b === open) - Number(a === open) || b.sequence - a.sequence || laterId(a, b));
  const items = inLayout(documents, "items").flatMap((d) => d.entries);
  const slot = (d: TimelineDocument) => {
    if (!open || slots === 0 || d === open) return "";
    if (open.sequence > slots && d.sequence === open.sequence - slots) return "overwritten next"; // also in a ring of one slot
    return d.sequence === open.sequence - 1 ? "newest" : "";
  };
  const part = (id: string, name: string, entries: Entry[], bucket?: TimelineDocument) => ({
    id,
    name,
    entries,
    /** The most entries; 0: not known. */
    most: bucket?.size ?? 0,
    /** "sequence 7"; "" for a part without a sequence. */
    about: bucket ? `sequence ${number(bucket.sequence)}` : "",
    /** The place of a closed bucket in a ring; "" for any other part. */
    slot: bucket ? slot(bucket) : "",
  });
  const days = inLayout(documents, "days").sort(laterId);
  const all = [...buckets.map((d) => part(d.id, d.id, d.entries, d)), ...days.map((d) => part(d.id, d.id, d.entries))];
  return items.length > 0 ? [...all, part("/", "items", items.sort(newestFirst))] : all; // no id has a slash
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
