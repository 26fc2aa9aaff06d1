import { describe, expect, test } from "vitest";

import { placeOf, placesIn } from "../../../client/src/places.ts";

const ids = (places: { id: string }[]) => places.map(({ id }) => id);

describe("the entries of a timeline", () => {
  test("of an item", () => {
    expect(placeOf("p1", { author: "ada", audience: "ada", at: 1_767_225_600_000_000, kind: "photo", hidden: true }, 0)).toEqual({
      id: "p1",
      part: "",
      at: 1_767_225_600_000_000,
      author: "ada",
      kind: "photo",
      hidden: true,
      order: " 1767225600000000 p1",
    });
  });

  test("of a bucket or a day, the newest first, and by id where times are equal", () => {
    const entries = { a: { at: 5 }, b: { at: 20 }, c: { at: 5, hidden: true } };
    const places = placesIn("2026-01-01", { entries }, 0);
    expect(ids(places)).toEqual(["b", "c", "a"]);
    expect(places.map(({ hidden }) => hidden)).toEqual([false, true, false]);
    expect(
      places
        .map(({ order }) => order)
        .toSorted()
        .toReversed(),
    ).toEqual(places.map(({ order }) => order));
  });

  test("count as hidden once they have expired", () => {
    const expireAt = { toMillis: () => 1000 };
    expect([placeOf("p", { at: 1, expireAt }, 999).hidden, placeOf("p", { at: 1, expireAt }, 1000).hidden]).toEqual([false, true]);
    expect(placesIn("d", { entries: { p: { at: 1 } }, expireAt }, 2000)[0]?.hidden).toBe(true);
  });

  test("of any type break nothing", () => {
    expect(
      ids(placesIn("d", { entries: { a: null, b: 3, c: { at: "late", author: 7, kind: [] }, d: { at: NaN }, e: { at: -5 }, f: { at: 9e300 } } }, 0))[0],
    ).toBe("f");
    expect(placesIn("d", { entries: [1] }, 0)).toEqual([]);
    expect(placesIn("d", {}, 0)).toEqual([]);
    expect(placeOf("p", {}, 0)).toMatchObject({ at: 0, author: "", kind: "", hidden: false });
  });
});
