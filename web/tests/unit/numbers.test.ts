import { expect, test } from "vitest";
import { bytes, clip, count, duration, number, share, version } from "../../src/console/words/numbers.ts";

test("a number has thousands separated, and one of something is not many", () => {
  expect(number(1950)).toBe("1,950");
  expect([count(0, "read"), count(1, "read"), count(1950, "read")]).toEqual(["0 reads", "1 read", "1,950 reads"]);
});

test("bytes and durations are in their largest unit", () => {
  expect([0, 63, 1023, 1024, 5000, 786_432, 5_000_000].map(bytes)).toEqual(["0 B", "63 B", "1023 B", "1 KiB", "4.9 KiB", "768 KiB", "4.8 MiB"]);
  expect([0, 12.4, 999, 1000, 1449, 59_999, 90_000].map(duration)).toEqual(["0 ms", "12 ms", "999 ms", "1 s", "1.4 s", "60 s", "1.5 min"]);
});

test("a version that begins with a time is shown by its last digits", () => {
  expect([0, 9_999, 10_000, 1_795_356_709_127].map(version)).toEqual(["v 0", "v 9999", "v …0000", "v …9127"]);
});

test("a share is of 0 to 1, and nothing is none of nothing", () => {
  expect([share(1, 4), share(5, 4), share(-1, 4), share(0, 0), share(3, 0)]).toEqual([0.25, 1, 0, 0, 0]);
});

test("a long id loses its middle, a short one nothing, and no character is cut in two", () => {
  expect(clip("ada")).toBe("ada");
  expect(clip("abcdefghij", 5)).toBe("ab…ij");
  expect(clip("x".repeat(1500))).toHaveLength(24);
  expect([...clip("😀".repeat(40), 9)]).toHaveLength(9);
  expect(clip("😀".repeat(40), 9)).not.toContain("\ufffd");
});
