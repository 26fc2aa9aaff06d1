// The table can tell the rules from wrong ones: each mutant of their text differs from it in a cell.
import { expect, test } from "vitest";

import { type Lane, rules, spread } from "../../rules/lane.ts";
import type { Cell } from "../../rules/row.ts";
import { all } from "../../rules/table.ts";

/**
 * Mutants that mean the same as the rules do. What is taken out there says to the reader what would otherwise follow from
 * an error, which denies: null has no uid, and nothing but a timestamp can be compared with one.
 */
const equivalent = [
  "/_relations/{relationId}: allow list: if true && request.auth.uid in resource.data.followers && request.query.limit <= 50",
  "/databases/{database}/documents: return true && request.auth.uid == uid",
  "/posts/{postId}: return true && data.createdAt <= request.time + duration.value(5, 'm')",
];

interface Mutant {
  name: string;
  /** The path of the match that it is in, as it stands there. */
  match: string;
  /** What a part of a condition has become: true allows more than the rules do, false allows less. */
  value: boolean;
  rules: string;
}

const text = rules.replace(/\/\/.*/g, ""); // lines stay
const matches = [...text.matchAll(/match (\S+)/g)];
const statement = /(allow [\w, ]+: if|return) ((?!\[)[^;]+);/g;
const operand = /(?:[^()&|]|\((?:[^()]|\([^()]*\))*\))+/g; // with its parentheses; a mutant of half an operand does not compile

/** Each condition becomes true, and false; each operand of && becomes true, each of || false. If all differ, no part of the rules could go. */
const mutants = [...text.matchAll(statement)].flatMap(({ 0: whole, 1: head, 2: condition = "", index }): Mutant[] => {
  const operands = [...condition.matchAll(operand)];
  const neutral = !condition.replace(operand, "").includes("||");
  const match = matches.findLast((match) => match.index < index)![1]!;
  const mutant = (value: boolean, { index: from, 0: part } = { index: 0, 0: condition }): Mutant => {
    const mutated = `${head} ${condition.slice(0, from)}${value} ${condition.slice(from + part.length)}`;
    return { name: `${match}: ${mutated}`.replace(/\s+/g, " ").trim(), match, value, rules: `${text.slice(0, index)}${mutated};${text.slice(index + whole.length)}` };
  };
  return [
    ...[true, false].filter((value) => condition !== String(value)).map((value) => mutant(value)),
    ...(operands.length > 1 ? operands.map((part) => mutant(neutral, part)) : []),
  ];
});

/** survives tries the cells that the mutant could turn over, those of its own document first, until one does. */
async function survives(lane: Lane, mutant: Mutant): Promise<boolean> {
  await lane.load(mutant.rules);
  const near = ({ document }: Cell) => Number(`/${document}`.endsWith(mutant.match));
  const cells = [...all.values()].flat().filter(({ allowed }) => allowed !== mutant.value);
  for (const cell of cells.sort((a, b) => near(b) - near(a))) {
    if ((await lane.allows(cell)) !== cell.allowed) return false;
  }
  return true;
}

test("the table has a document for each match, and each is called as the rules call it", () => {
  const named = [...all.keys()].filter((document) => document.includes("{")).map((document) => `/${document.split("/").slice(-2).join("/")}`);
  expect(matches.slice(1).map(([, path]) => path).sort()).toEqual(named.sort()); // all are in the first, the database
});

test("every mutant differs in a cell", async () => {
  const survivors: string[] = [];
  await spread(6, "mutants", mutants, async (lane, mutant) => {
    if (await survives(lane, mutant)) survivors.push(mutant.name);
  });
  console.log(`rules: ${mutants.length} mutants, ${survivors.length} of them mean the same as the rules`);
  expect(survivors.sort()).toEqual(equivalent);
});
