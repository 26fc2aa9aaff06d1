// Every cell of the table, tried on the emulator.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { root } from "../system.ts";
import type { Lane } from "./lane.ts";
import { attempt, openLanes, spread } from "./lanes.ts";
import { markdown } from "./markdown.ts";
import { all } from "./table.ts";
import { who } from "./world.ts";

describe("rules", () => {
  let lanes: Lane[] = [];
  const tried = { allowed: 0, denied: 0 };

  beforeAll(async () => {
    lanes = await openLanes("matrix", 3);
  });
  afterAll(async () => {
    console.log(`rules: ${tried.allowed + tried.denied} cells, ${tried.allowed} allowed, ${tried.denied} denied`);
    await Promise.all(lanes.map((lane) => lane.close()));
  });

  for (const [document, cells] of all) {
    const rows = new Map(cells.map((cell) => [cell.what, cells.filter((other) => other.what === cell.what)]));
    describe(document, () => {
      test.each([...rows])("%s", async (_what, row) => {
        const found: string[] = [];
        await spread(lanes, row, async (lane, cell) => {
          const allowed = await attempt(lane, cell);
          allowed ? tried.allowed++ : tried.denied++;
          if (allowed !== cell.allowed) {
            found.push(`${cell.who} is ${allowed ? "allowed" : "denied"}`);
          }
        });
        expect(found).toEqual([]);
        expect(row.map((cell) => cell.who)).toEqual([...who]);
      });
    });
  }

  test("docs/rules.md has the table", () => {
    const [, documented] = readFileSync(join(root, "docs", "rules.md"), "utf8").split(/<!-- (?:the|end of the) table -->\n/);
    console.log(markdown(all));
    expect(documented?.trim()).toBe(markdown(all));
  });
});
