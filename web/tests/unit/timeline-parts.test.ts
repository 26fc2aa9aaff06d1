import { expect, test } from "vitest";

import { timelineDocument } from "../../src/console/data/timeline.ts";
import { parts, summary } from "../../src/console/words/timeline.ts";

const at = Date.UTC(2026, 0, 1) * 1000;
const entries = (n: number) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}`, { post: `p${i}`, author: "ada", audience: "ada", at: at + i }]));
const bucket = (id: string, sequence: unknown, n = 3, more = {}) => timelineDocument(id, { sequence, entries: entries(n), size: 3, slots: 2, ...more });
const shown = (documents: ReturnType<typeof bucket>[]) => parts(documents).map((p) => [p.name, p.about, p.slot].filter(Boolean).join(", "));

test("a document's type depends on its fields, not its name", () => {
  const kind = (id: string, data: Record<string, unknown>) => timelineDocument(id, data).layout;
  expect([
    kind("open", { sequence: 1 }),
    kind("open", { at, post: "open" }),
    kind("2026-01-01", { day: "2026-01-01" }),
    kind("2026-01-01", { at }),
    kind("x", {}),
  ]).toEqual(["buckets", "items", "days", "items", "items"]);
});

test("entries are sorted, and values of another type are omitted", () => {
  const found = timelineDocument("open", {
    sequence: 1,
    entries: { a: { at, author: 1, audience: null }, c: { at: at + 1000 }, b: { at: "late" }, d: 4, e: { at: 9e300 } },
  });
  expect(found.entries.map(({ post, at }) => [post, at?.getTime() ?? null])).toEqual([
    ["c", at / 1000 + 1],
    ["a", at / 1000],
    ["e", null],
    ["d", null],
    ["b", null],
  ]);
  expect(found.entries[1]).toMatchObject({ author: "", audience: "", kind: "" });
  expect(timelineDocument("open", { sequence: NaN, total: "2", slots: -1, entries: [1] })).toMatchObject({
    sequence: 0,
    total: 0,
    slots: 0,
    size: 0,
    entries: [],
  });
});

test("a ring: which bucket is the newest, and which is overwritten next", () => {
  expect(shown([bucket("open", 1, 2)])).toEqual(["open, sequence 1"]);
  expect(shown([bucket("past-00000001", 1), bucket("open", 2, 1)])).toEqual(["open, sequence 2", "past-00000001, sequence 1, newest"]);
  const full = [bucket("past-00000000", 4), bucket("past-00000001", 3), bucket("open", 5, 1)];
  expect(shown(full)).toEqual(["open, sequence 5", "past-00000000, sequence 4, newest", "past-00000001, sequence 3, overwritten next"]);
  expect(shown([bucket("past-00000000", 4), bucket("open", 5, 1, { slots: 1 })])).toEqual(["open, sequence 5", "past-00000000, sequence 4, overwritten next"]);
});

test("without a cap, or without open, nothing is overwritten", () => {
  const some = [bucket("past-00000001", 1), bucket("past-00000002", 2), bucket("open", 3, 1, { slots: 0 })];
  const listed = ["open, sequence 3", "past-00000002, sequence 2", "past-00000001, sequence 1"];
  expect(shown(some)).toEqual(listed); // also where closed buckets are from before the cap was taken away
  expect(shown([...some.slice(0, 2), bucket("open", 3, 1, { slots: "2" })])).toEqual(listed);
  expect(shown(some.slice(0, 2))).toEqual(listed.slice(1));
});

test("a bucket says how many entries it takes", () => {
  expect(
    parts([bucket("past-00000001", 1, 3, { size: 5 }), bucket("past-00000002", 2, 3, { size: undefined }), bucket("open", 3, 1)]).map((p) => p.most),
  ).toEqual([3, 0, 5]);
});

test("days and items, the newest first, and items in one part", () => {
  const day = (id: string) => timelineDocument(id, { day: id, entries: entries(2) });
  const item = (id: string, n: number) => timelineDocument(id, { post: id, at: at + n * 1000 });
  const all = [item("a", 1), day("2026-01-01"), item("b", 2), day("2026-01-02")];
  expect(shown(all)).toEqual(["2026-01-02", "2026-01-01", "items"]);
  expect(parts(all)[2]!.entries.map((e) => e.post)).toEqual(["b", "a"]);
  expect(parts([])).toEqual([]);
});

test("the summary says how many entries there are, and what is free", () => {
  const open = bucket("open", 2, 1, { total: 4 });
  expect(summary([open])).toBe("4 entries in buckets, ring of 2 slots, 1 free");
  expect(summary([bucket("open", 2, 1, { total: 4, slots: 0 })])).toBe("4 entries in buckets");
  expect(summary([timelineDocument("2026-01-01", { day: "2026-01-01", entries: entries(1) })])).toBe("1 entry in 1 day");
  expect(summary([timelineDocument("p", { at })])).toBe("1 item");
  expect(summary([])).toBe("");
});
