// Every cell of the tables, tried on the emulator.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { root } from "../system.ts";
import { all as texts, files, rules, spread, withPace } from "./lane.ts";
import { markdown } from "./markdown.ts";
import { transport } from "./request.ts";
import type { Cell } from "./row.ts";
import { relations } from "./table.relations.ts";
import { tables } from "./table.ts";

describe.each(texts)("%s", (file) => {
  // Over REST, as npm test has it, every third row; over gRPC each. The files differ in relations alone, as is tested below:
  // the second is tried there. Rules with a pace have a table of their own.
  const rows = (cells: Cell[]) => [...new Set(cells.map(({ what }) => what))].filter((_, n) => transport === "gRPC" || n % 3 === 0);
  const all = [...tables[file]].filter(([document]) => file !== files[1] || document === relations.document);
  const allowed = new Set<Cell>();

  beforeAll(async () => {
    const cells = all.flatMap(([, cells]) => cells.filter(({ what }) => rows(cells).includes(what)));
    // A lane costs as much as a hundred cells, because the emulator compiles the rules for it.
    await spread(Math.min(8, Math.ceil(cells.length / 100)), "matrix", file, cells, async (lane, cell) => {
      if (await lane.allows(cell)) allowed.add(cell);
    });
    console.log(`${file}, over ${transport}: ${cells.length} cells, ${allowed.size} allowed, ${cells.length - allowed.size} denied`);
  });

  describe.each(all)("%s", (_document, cells) => {
    test.each(rows(cells))("%s", (what) => {
      const row = cells.filter((cell) => cell.what === what);
      const marks = (may: (cell: Cell) => boolean) => row.map((cell) => `${cell.who} ${may(cell) ? "+" : "-"}`);
      expect(marks((cell) => allowed.has(cell))).toEqual(marks((cell) => cell.allowed));
    });
  });
});

test("the rules files differ only in their header and in the rules of relations", () => {
  const [ours, feedOnly] = files.map((file) => {
    const same = rules[file].replace(/What a client may do[^]*?(?=The functions)/, "").replace(/\n    match \/_relations\/[^]*?\n    }\n/, "");
    return { same, different: rules[file].length - same.length };
  });
  expect(feedOnly!.same).toBe(ours!.same);
  expect(feedOnly!.different).not.toBe(ours!.different);
});

test("a pace is one word", () => {
  const lines = (file: keyof typeof rules) => rules[file].split("\n");
  expect(lines(withPace).filter((line, n) => line !== lines("firestore.rules")[n])).toEqual(["      return true;"]);
});

test("docs/rules.md has the table", () => {
  const [, documented] = readFileSync(join(root, "docs", "rules.md"), "utf8").split(/<!-- (?:the|end of the) table -->\n/);
  const table = markdown(tables["firestore.rules"]);
  console.log(table);
  expect(documented?.trim()).toBe(table);
});
