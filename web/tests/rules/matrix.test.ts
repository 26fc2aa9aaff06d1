// Every cell of the table, tried on the emulator.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { root } from "../system.ts";
import { spread } from "./lane.ts";
import { markdown } from "./markdown.ts";
import type { Cell } from "./row.ts";
import { all } from "./table.ts";

const cells = [...all.values()].flat();
const allowed = new Set<Cell>();

beforeAll(async () => {
  await spread(6, "matrix", cells, async (lane, cell) => {
    if (await lane.allows(cell)) allowed.add(cell);
  });
  console.log(`rules: ${cells.length} cells, ${allowed.size} allowed, ${cells.length - allowed.size} denied`);
});

describe.each([...all])("%s", (_document, cells) => {
  test.each([...new Set(cells.map(({ what }) => what))])("%s", (what) => {
    const row = cells.filter((cell) => cell.what === what);
    const marks = (may: (cell: Cell) => boolean) => row.map((cell) => `${cell.who} ${may(cell) ? "+" : "-"}`);
    expect(marks((cell) => allowed.has(cell))).toEqual(marks((cell) => cell.allowed));
  });
});

test("docs/rules.md has the table", () => {
  const [, documented] = readFileSync(join(root, "docs", "rules.md"), "utf8").split(/<!-- (?:the|end of the) table -->\n/);
  console.log(markdown(all));
  expect(documented?.trim()).toBe(markdown(all));
});
