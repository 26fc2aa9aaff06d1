import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { nameKey } from "relationindex-client";
import { root } from "../system.ts";

test("a name has the key that the seed of dev, which is Go, gives it", () => {
  const cases = Object.entries(JSON.parse(readFileSync(join(root, "schema", "testdata", "namekeys.json"), "utf8")) as Record<string, string>);
  expect(cases.length).toBeGreaterThan(20);
  for (const [name, key] of cases) expect(nameKey(name), name).toBe(key);
});

test("names sort as people sort them", () => {
  const names = ["zoe", "Émile", "Eve", "adam", "Ådam B", "ZOE A", "Đuro", "Dora", "Łukasz", "Lea", "Ota"];
  const byKey = [...names].sort((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1));
  expect(byKey).toEqual(["adam", "Ådam B", "Dora", "Đuro", "Émile", "Eve", "Lea", "Łukasz", "Ota", "zoe", "ZOE A"]);
});

test("the rules accept the key of each accepted name", () => {
  const refused = /[\p{C}\u061c\u2028-\u202e\u2060-\u206f\u115f\u1160\u2800\u3164\uffa0\u200c\u200d]/u; // isLine of firestore.rules
  let taken = 0;
  for (let code = 0; code <= 0x1_ffff; code++) {
    const name = `a${String.fromCodePoint(code)}`;
    if (refused.test(name)) continue;
    taken++;
    const key = nameKey(name);
    if (refused.test(key) || nameKey(key) !== key) expect.fail(`the key of U+${code.toString(16)} is ${JSON.stringify(key)}`);
  }
  expect(taken).toBeGreaterThan(50_000);
  expect(nameKey("\ufdfa".repeat(100)).length).toBeLessThanOrEqual(300);
});
