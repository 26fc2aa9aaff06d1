// The Swift, Kotlin and Dart of docs/clients is parsed, and has the names of the package. Nothing here compiles it: see those pages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as client from "relationindex-client";
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

const blocksOf = (language: string): string[] =>
  [...readFileSync(join(root, `docs/clients/${language}.md`), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, info, code]) => (info === language ? [code!] : []));

test.for(languages)("every block of %s is parsed", (language) => {
  const blocks = blocksOf(language);
  expect(blocks.length).toBeGreaterThan(0);
  for (const code of blocks) expect(errors(language, code)).toEqual([]);
});

/** The functions of every language, by their names in the package. */
const shared = ["connect", "endpointFeed", "follow", "unfollow", "newPostId", "writePost", "like", "unlike", "writeComment", "Badge"] satisfies (keyof typeof client)[];

test.for(languages)("%s has functions of the package by their names", (language) => {
  const code = blocksOf(language).join("\n");
  for (const name of shared) expect(code).toMatch(new RegExp(`(func|fun|class|Future<.+>|String|Stream<.+>) ${name}\\b`));
});

test.for(languages)("follow of %s ends the request, as rules require", (language) => {
  const [, follow] = /\bfollow\(.*\n?(.*)/.exec(blocksOf(language).join("\n"))!;
  expect(follow).toMatch(/followers.*ended.*requests/);
});

test("invalid Swift, Kotlin and Dart is found", () => {
  expect(errors("swift", "func page(_ feed: Query -> Int {}")).not.toEqual([]);
  expect(errors("kotlin", "fun page(feed: Query = {}")).not.toEqual([]);
  expect(errors("dart", "Future<int> page(Feed feed => 1;")).not.toEqual([]);
});
