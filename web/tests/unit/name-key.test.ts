import { expect, test } from "vitest";

import { nameKey, visibleText } from "relationindex-client";
import { isLine, keys, right, wrong } from "../names.ts";

test("a name has the key that the seed of dev, which is Go, gives it", () => {
  for (const [name, key] of Object.entries({ ...right, ...keys })) expect(nameKey(name), name).toBe(key);
});

test("names sort as people sort them", () => {
  const names = ["zoe", "Émile", "Eve", "adam", "Ådam B", "ZOE A", "Đuro", "Dora", "Łukasz", "Lea", "Ota"];
  const byKey = [...names].sort((a, b) => (nameKey(a) < nameKey(b) ? -1 : 1));
  expect(byKey).toEqual(["adam", "Ådam B", "Dora", "Đuro", "Émile", "Eve", "Lea", "Łukasz", "Ota", "zoe", "ZOE A"]);
});

test("the rules accept the key of each name that they accept, and the client shows it as it is", () => {
  for (const name of Object.keys(right)) expect(isLine(name), name).toBe(true);
  for (const [what, name] of Object.entries(wrong)) expect(isLine(name), what).toBe(false);
  let taken = 0;
  for (let code = 0; code <= 0xe_0fff; code = code === 0x1_ffff ? 0xe_0000 : code + 1) {
    const name = `a${String.fromCodePoint(code)}`;
    if (!isLine(name)) continue;
    taken++;
    const key = nameKey(name);
    if (!isLine(key) || nameKey(key) !== key) expect.fail(`the key of U+${code.toString(16)} is ${JSON.stringify(key)}`);
    if (visibleText(name) !== name) expect.fail(`U+${code.toString(16)} is not shown`);
  }
  expect(taken).toBeGreaterThan(50_000);
  expect(nameKey("\ufdfa".repeat(100)).length).toBeLessThanOrEqual(300);
});
