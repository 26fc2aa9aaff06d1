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

/** Returns the parts: open, then closed buckets, days and items. Each kind has the newest first. */
export function parts(documents: TimelineDocument[]): Part[] {
  const { open, slots } = ringOf(documents);
  const closed = documents.filter((d) => d.layout === "buckets" && d !== open).sort((a, b) => b.sequence - a.sequence || (a.id < b.id ? 1 : -1));
  const days = documents.filter((d) => d.layout === "days").sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = documents
    .filter((d) => d.layout === "items")
    .flatMap((d) => d.entries)
    .sort(newestFirst);
  const slot = (d: TimelineDocument) => {
    if (!open || slots === 0 || d === open) return "";
    if (open.sequence > slots && d.sequence === open.sequence - slots) return "overwritten next"; // also in a ring of one slot
    return d.sequence === open.sequence - 1 ? "newest" : "";
  };
  const bucket = (d: TimelineDocument): Part => ({
    id: d.id,
    name: d.id,
    entries: d.entries,
    most: d.size,
    about: `sequence ${number(d.sequence)}`,
    slot: slot(d),
  });
  const other = (id: string, name: string, entries: Entry[]): Part => ({ id, name, entries, most: 0, about: "", slot: "" });
  return [
    ...(open ? [bucket(open)] : []),
    ...closed.map(bucket),
    ...days.map((d) => other(d.id, d.id, d.entries)),
    ...(items.length > 0 ? [other("/", "items", items)] : []), // no id has a slash
  ];
}

/** Returns a summary: "7 entries in buckets, ring of 3 slots, 1 free". */
export function summary(documents: TimelineDocument[]): string {
  const { open, slots } = ringOf(documents);
  const of = (layout: TimelineDocument["layout"]) => documents.filter((d) => d.layout === layout);
  const inDays = of("days").reduce((n, d) => n + d.entries.length, 0);
  const free = open ? Math.max(0, slots - open.sequence + 1) : 0;
  return [
    open && `${count(open.total, "entry", "entries")} in buckets`,
    open && slots > 0 && `ring of ${count(slots, "slot")}`,
    open && free > 0 && `${number(free)} free`,
    of("days").length > 0 && `${count(inDays, "entry", "entries")} in ${count(of("days").length, "day")}`,
    of("items").length > 0 && count(of("items").length, "item"),
  ]
    .filter(Boolean)
    .join(", ");
}
