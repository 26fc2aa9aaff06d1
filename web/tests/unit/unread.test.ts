import { describe, expect, test } from "vitest";
import { unreadOf } from "relationindex-client";

import { unreadText } from "../../src/app/views/words.ts";

/** Entries by their times, in the order of the list. */
const entries = (...times: number[]) => times.map((at, n) => ({ id: `p${n}`, order: "", post: {} as never, place: { at } as never }));
const times = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n);

describe("what is new", () => {
  test("is counted, and the line is above the first old entry", () => {
    const unread = unreadOf(entries(9, 8, 7, 6, 5), true, 6);
    expect(unread).toEqual({ count: 3, more: false, line: "p3", newest: 9 });
    expect(unreadText(unread)).toBe("3 new");
  });

  test("is nothing once all is read", () => {
    const unread = unreadOf(entries(9, 8), true, 9);
    expect(unread).toEqual({ count: 0, more: false, line: "", newest: 9 });
    expect(unreadText(unread)).toBe("");
  });

  test("may go on below what is shown", () => {
    expect(unreadText(unreadOf(entries(9, 8), true, 1))).toBe("2+ new");
    expect(unreadText(unreadOf(entries(9, 8), false, 1))).toBe("2 new");
  });

  test("is counted up to a page", () => {
    expect(unreadText(unreadOf(entries(...times(30, 11)), true, 1))).toBe("20+ new");
    expect(unreadText(unreadOf(entries(...times(30, 10)), false, 1))).toBe("20+ new");
    expect(unreadText(unreadOf(entries(...times(30, 11)), false, 1))).toBe("20 new");
    expect(unreadOf(entries(...times(30, 1)), false, 1).line).toBe("p29");
  });

  test("is all above the line where the order is not that of the times", () => {
    expect(unreadOf(entries(5, 9, 4, 8, 3, 2), false, 5)).toMatchObject({ count: 2, line: "p4" });
  });

  test("is nothing in an empty timeline", () => {
    expect(unreadOf([], false, 0)).toEqual({ count: 0, more: false, line: "", newest: 0 });
  });
});
