import { describe, expect, test } from "vitest";
import { hasRoom, isFiltered, parsePattern } from "relationindex-client";

import { patternsOf } from "../../../client/src/filters.ts";

describe("a reader's hidden posts and kinds", () => {
  test.for<[string, string[], string[], boolean]>([
    ["nothing", [], [], false],
    ["the kind of the author", ["ada/photo"], [], true],
    ["another kind of the author", ["ada/event"], [], false],
    ["the kind of another author", ["bob/photo"], [], false],
    ["all of the author", ["ada/*"], [], true],
    ["the kind of all", ["*/photo"], [], true],
    ["all of all", ["*/*"], [], true],
    ["the kind of all, but not of the author", ["*/photo"], ["ada/photo"], false],
    ["the kind of all, but nothing of the author", ["*/photo"], ["ada/*"], false],
    ["all of the author, but not the kind", ["ada/*"], ["ada/photo"], false],
    ["all of the author comes before the kind of all", ["ada/*"], ["*/photo"], true],
    ["the kind of all comes before all of all", ["*/*"], ["*/photo"], false],
    ["the same pattern in both lists", ["ada/photo"], ["ada/photo"], true],
  ])("%s", ([, hide, show, want]) => expect(isFiltered({ hide, show }, "ada", "photo")).toBe(want));
});

test("a pattern is split at its first slash", () => {
  expect(parsePattern("ada/photo/large")).toEqual({ author: "ada", kind: "photo/large" });
  expect([parsePattern("ada"), parsePattern("/photo"), parsePattern("")]).toEqual([null, null, null]);
});

test("a list has up to 200 patterns, and skips values that are no strings", () => {
  expect(patternsOf([1, "a/b", null])).toEqual(["a/b"]);
  expect(patternsOf(Array.from({ length: 10_000 }, (_, n) => `a/${n}`))).toHaveLength(200);
  expect(patternsOf([...Array.from({ length: 200 }, () => 7), "a/b"])).toEqual([]);
  const long = "x/" + "ä".repeat(3198); // with one more, half of the bytes that a list may have
  expect(patternsOf([long + "y", long + "y", "a/b"])).toHaveLength(2);
  expect(patternsOf([long + "y", long + "yy", "a/b"])).toHaveLength(1);
  expect(hasRoom([long + "y"], long + "y")).toBe(true);
  expect(hasRoom([long + "y"], long + "yy")).toBe(false);
  expect(
    hasRoom(
      Array.from({ length: 200 }, () => "a/b"),
      "a/b",
    ),
  ).toBe(false);
  expect(patternsOf("a/b")).toEqual([]);
});
