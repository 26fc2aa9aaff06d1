// The table can tell every rule from a wrong one: each mutant of the rules differs from it in at least one cell.
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Lane } from "./lane.ts";
import { attempt, openLanes, rules, spread } from "./lanes.ts";
import { type Mutant, documents, mutants } from "./mutants.ts";
import { all } from "./table.ts";

/**
 * Mutants that mean the same as the rules do. What is taken out there says to the reader what would otherwise follow from
 * an error, which denies: null has no uid, and nothing but a timestamp can be compared with one.
 */
const equivalent = [
  "isUser: signedIn() becomes true",
  "allow list: signedIn() becomes true",
  "isDated: data.createdAt is timestamp becomes true",
];

let lanes: Lane[] = [];
beforeAll(async () => {
  lanes = await openLanes("mutants", 4);
});
afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

/** survives tries the cells that the mutant could turn over, until one does. */
async function survives(lane: Lane, { touches, opens, rules }: Mutant): Promise<boolean> {
  await lane.load(rules);
  const cells = touches.flatMap(({ document, operations }) =>
    (all.get(document) ?? []).filter(({ what }) => operations.some((each) => what.startsWith(each))),
  );
  for (const cell of cells.filter(({ allowed }) => allowed !== opens)) {
    if ((await attempt(lane, cell)) !== cell.allowed) {
      return false;
    }
  }
  return true;
}

test("the table has a document for each match, and each is called as the rules call it", () => {
  const named = [...all.keys()].filter((document) => document.includes("{"));
  expect(documents(rules).sort()).toEqual(named.sort());
});

test("every mutant differs in a cell", async () => {
  const every = mutants(rules);
  const survivors: string[] = [];
  await spread(lanes, every, async (lane, mutant) => {
    if (await survives(lane, mutant)) {
      survivors.push(mutant.name);
    }
  });
  console.log(`rules: ${every.length} mutants, ${survivors.length} of them mean the same as the rules`);
  const withoutLine = survivors.map((name) => name.replace(/^firestore\.rules:\d+: /, ""));
  expect(withoutLine.sort()).toEqual([...equivalent].sort());
});
