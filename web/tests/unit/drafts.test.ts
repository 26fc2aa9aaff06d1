import { describe, expect, test } from "vitest";

import { Drafts } from "../../src/app/data/drafts.ts";

/** A browser's storage, which is full from so many characters on. */
function storage(full = Infinity): Storage & { keys(): string[] } {
  const all = new Map<string, string>();
  return {
    get length() {
      return all.size;
    },
    key: (i) => [...all.keys()][i] ?? null,
    getItem: (key) => all.get(key) ?? null,
    setItem(key, value) {
      if (value.length > full) throw new DOMException("full", "QuotaExceededError");
      all.set(key, value);
    },
    removeItem: (key) => void all.delete(key),
    clear: () => all.clear(),
    keys: () => [...all.keys()],
  };
}

describe("drafts", () => {
  test("are there for the next page, by account and place, until they are emptied", () => {
    const device = storage();
    const readers = { audience: "", name: "", to: [{ id: "bob", name: "Bob" }] };
    new Drafts(device, "ada").keep("feed", { text: "Half a", kind: "photo", readers });
    expect(new Drafts(device, "ada").get("feed")).toMatchObject({ text: "Half a", kind: "photo", readers });
    expect(new Drafts(device, "ada").get("profile")).toBeUndefined();
    expect(new Drafts(device, "ad").get("a/feed")).toBeUndefined();
    new Drafts(device, "ada").keep("feed", { text: "" });
    expect(device.keys()).toEqual([]);
  });

  test("are at most twenty: the longest unchanged one is dropped", () => {
    const device = storage();
    let clock = 0;
    const drafts = new Drafts(device, "ada", () => ++clock);
    new Drafts(device, "bob").keep("feed", { text: "another account's" });
    for (let i = 0; i < 20; i++) drafts.keep(`p${i}`, { text: "x" });
    drafts.keep("p0", { text: "changed" });
    drafts.keep("p2", { text: "x" }); // as it was: no change
    drafts.keep("p20", { text: "x" });
    drafts.keep("p21", { text: "x" });
    expect(Array.from({ length: 22 }, (_, i) => i).filter((i) => !drafts.get(`p${i}`))).toEqual([1, 2]);
    expect(device.length).toBe(21);
  });

  test("are deleted when their account signs out, and no others", () => {
    const device = storage();
    device.setItem("theme", "dark");
    for (const uid of ["ada", "adam"]) for (const place of ["feed", "comment/1"]) new Drafts(device, uid).keep(place, { text: "x" });
    new Drafts(device, "ada").forget();
    expect(device.keys()).toEqual(["theme", "draft/adam/feed", "draft/adam/comment/1"]);
  });

  test("stay as they were when they grow too long, or the storage is full", () => {
    const device = storage(1_000);
    const drafts = new Drafts(device, "ada");
    drafts.keep("feed", { text: "short" });
    for (const text of ["x".repeat(2_000), "x".repeat(60_000)]) drafts.keep("feed", { text });
    expect(drafts.get("feed")?.text).toBe("short");
  });

  test("of another shape are none", () => {
    const device = storage();
    const drafts = new Drafts(device, "ada");
    for (const value of [
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      "{}",
      '{"text":7,"at":1}',
      '{"text":"x"}',
      '{"text":"x","at":1,"kind":{}}',
      '{"text":"x","at":1,"readers":{}}',
      '{"text":"x","at":1,"readers":{"audience":"","name":"","to":[7]}}',
    ]) {
      device.setItem("draft/ada/feed", value);
      expect(drafts.get("feed"), value).toBeUndefined();
    }
  });
});
