// The name keys of the pages for phones. Nothing here compiles Swift, Kotlin or Dart, but the tables in that code can be compared.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nameKey } from "relationindex-client";
import { expect, test } from "vitest";

import { right } from "../names.ts";
import { root } from "../system.ts";

const pages = ["swift", "kotlin", "dart"];
const read = (language: string): string => readFileSync(join(root, `docs/clients/${language}.md`), "utf8");

/** What nameKey takes out of a name, and the letters that it replaces though Unicode does not decompose them, each with its key. */
const gone = new Set<string>();
const plain: Record<string, string> = {};
for (let code = 0; code <= 0xe_0fff; code = code === 0x2_ffff ? 0xe_0000 : code + 1) {
  if (nameKey(`x${String.fromCodePoint(code)}x`) === "xx") gone.add(String.fromCodePoint(code));
}
for (let code = 0x21; code < 0xd800; code++) {
  const letter = String.fromCodePoint(code);
  const isWhole = letter.normalize("NFKD").toLowerCase() === letter && !gone.has(letter);
  if (isWhole && nameKey(letter) !== letter.normalize("NFC")) plain[letter] = nameKey(letter);
}

test.for(pages)("names on the page of %s have the keys of names.json", (language) => {
  const shown = [...read(language).matchAll(/"([^"]+)" → "([^"]+)"/g)];
  expect(shown.length).toBe(3);
  for (const [, name, key] of shown) expect(right[name!], name).toBe(key);
});

test.for(pages)("nameKey of %s replaces the letters that the package replaces", (language) => {
  const pairs = [...read(language).matchAll(/["'](.)["'](?: to|:) ["']([^"']+)["']/gu)];
  expect(Object.fromEntries(pairs.filter(([, letter]) => letter! > "~").map(([, letter, key]) => [letter, key]))).toEqual(plain);
});

test.for(pages)("nameKey of %s takes out what the package takes out", (language) => {
  const [line] = /^.*\b_?left = .*$/m.exec(read(language))!;
  const taken = new Set<string>();
  for (const [, first, last] of line.matchAll(/(?:0x|\\[ux]\{?)(\w+)\}?(?:(?:-|\.\.\.)(?:0x|\\[ux]\{?)(\w+)\}?)?/g)) {
    for (let code = parseInt(first!, 16); code <= parseInt(last ?? first!, 16); code++) taken.add(String.fromCodePoint(code));
  }
  expect([...taken].filter((one) => !gone.has(one))).toEqual([]);
  expect([...gone].filter((one) => !taken.has(one))).toEqual([]);
});
