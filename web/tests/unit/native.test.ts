// The Swift, Kotlin and Dart of docs/clients and docs/quickstart is parsed. Nothing here compiles it: see those pages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Language, type Node, Parser } from "web-tree-sitter";

import { root } from "../system.ts";

const grammars = join(createRequire(import.meta.url).resolve("tree-sitter-wasms/package.json"), "..", "out");

await Parser.init();
const languages = ["swift", "kotlin", "dart"];
const parsers = new Map<string, Parser>();
for (const language of languages) {
  parsers.set(language, new Parser().setLanguage(await Language.load(join(grammars, `tree-sitter-${language}.wasm`))));
}

/** errors are the lines at which a grammar does not know how to go on. */
function errors(language: string, code: string): string[] {
  const lines = code.split("\n");
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.isError || node.isMissing) found.push(`${node.isMissing ? `no ${node.type} in` : "not understood:"} ${lines[node.startPosition.row]}`);
    else if (node.hasError) node.children.forEach((child) => child && visit(child));
  };
  visit(parsers.get(language)!.parse(code)!.rootNode);
  return found;
}

test.for(languages)("every block of %s is parsed", (language) => {
  for (const page of [`docs/clients/${language}.md`, `docs/quickstart/${language}.md`]) {
    const text = readFileSync(join(root, page), "utf8");
    const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, info]) => info === language);
    expect(blocks.length, page).toBeGreaterThan(0);
    for (const [, , code] of blocks) expect(errors(language, code!), page).toEqual([]);
  }
});

test("what is no Swift, Kotlin or Dart is found", () => {
  expect(errors("swift", "func page(_ feed: Query -> Int {}")).not.toEqual([]);
  expect(errors("kotlin", "fun page(feed: Query = {}")).not.toEqual([]);
  expect(errors("dart", "Future<int> page(Feed feed => 1;")).not.toEqual([]);
});
