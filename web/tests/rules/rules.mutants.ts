// The tables can tell the rules from wrong ones: each mutant of a file differs from its table in a cell.
import { expect, test } from "vitest";

import { type File, type Lane, all as texts, files, rules, spread, withPace } from "./lane.ts";
import { type Cell, pathOf } from "./row.ts";
import { tables } from "./table.ts";
import type { Who } from "./world.ts";

/**
 * Mutants that mean the same as the rules do. What is taken out there says to the reader what would otherwise follow from
 * an error, which denies: null has no uid, and nothing but a timestamp can be compared with one.
 */
const equivalent: Record<File, string[]> = {
  "firestore.rules": [
    "/databases/{database}/documents: return true && !request.auth.uid.matches('(?s)^g_.*$') && fits(request.auth.uid)",
    "/databases/{database}/documents: return true && time <= request.time + duration.value(5, 'm')",
  ],
  "firestore.feed-only.rules": [],
  [withPace]: ["/databases/{database}/documents: return false || isCounted(kind, id)"], // there is a pace
};

interface Mutant {
  name: string;
  /** The path of the match that it is in, as it stands there. */
  match: string;
  /** The paths of the matches that it may be noticed in: its own, or those that call the function, themselves or through others. */
  noticed: string[];
  /** The value that replaces a part of a condition: true, or false. */
  value: boolean;
  /** It allows more than the rules do, not less. */
  more: boolean;
  /** It is in what decides about the pace, or in the place of that. */
  pace: boolean;
  rules: string;
}

const statement = /(allow [\w, ]+: if|return) ((?!\[)[^;]+);/g;
const operand = /(?:[^()&|]|\((?:[^()]|\([^()]*\))*\))+/g; // with its parentheses; a mutant of half an operand does not compile

const bare = (file: File) => rules[file].replace(/\/\/.*/g, ""); // lines stay
const matchesOf = (text: string) => [...text.matchAll(/match (\S+)/g)];

/** callersOf are the paths of the matches that a function decides about, and whether it only ever denies. */
function callersOf(text: string, name: string): { callers: string[]; denies: boolean } {
  const calls = new Set([name]);
  const called = (part: string) => [...calls].some((name) => new RegExp(`(?<!function )\\b${name}\\(`).test(part));
  for (let known = 0; known < calls.size; ) {
    known = calls.size;
    for (const [, caller, body] of text.matchAll(/function (\w+)\([^)]*\) \{([^}]*)\}/g)) if (called(body!)) calls.add(caller!);
  }
  const matches = matchesOf(text);
  const own = matches.filter((match, n) => n > 0 && called(text.slice(match.index, matches[n + 1]?.index)));
  return { callers: own.map(([, path]) => path!), denies: !new RegExp(`(?<!function |!)\\b${name}\\(`).test(text) };
}

/**
 * Each condition becomes true, and false; each operand of && becomes true, each of || false. If all differ, no part of the
 * rules could go. A whole && that is true needs no mutant: the cell that misses one of its operands turns over too. Nor does
 * a whole || that is false.
 */
function mutantsOf(text: string): Mutant[] {
  const matches = matchesOf(text);
  return [...text.matchAll(statement)].flatMap(({ 0: whole, 1: head, 2: condition = "", index }): Mutant[] => {
    const operands = [...condition.matchAll(operand)];
    const neutral = !condition.replace(operand, "").includes("||");
    const match = matches.findLast((match) => match.index < index)![1]!;
    const name = head === "return" ? [...text.slice(0, index).matchAll(/function (\w+)/g)].at(-1)![1]! : "";
    const { callers, denies } = name ? callersOf(text, name) : { callers: [match], denies: false };
    const mutant = (value: boolean, { index: from, 0: part } = { index: 0, 0: condition }): Mutant => {
      const mutated = `${head} ${condition.slice(0, from)}${value} ${condition.slice(from + part.length)}`;
      return {
        name: `${match}: ${mutated}`.replace(/\s+/g, " ").trim(),
        match,
        noticed: callers,
        value,
        more: value !== denies,
        pace: /Pace|rateAfter|isCounted/.test(name) || /^\s*\w+Paced\(/.test(part),
        rules: `${text.slice(0, index)}${mutated};${text.slice(index + whole.length)}`,
      };
    };
    return [
      ...[true, false].filter((value) => condition !== String(value) && (operands.length < 2 || value !== neutral)).map((value) => mutant(value)),
      ...(operands.length > 1 ? operands.map((part) => mutant(neutral, part)) : []),
    ];
  });
}

/** Of a row, the cell of an account that has much to lose comes first: it turns over more often than that of nobody. */
const telling: Who[] = ["author", "stranger", "follower", "blocked", "moderator", "group", "reserved", "signed-out", "anonymous"];

/** turns says of each cell how many like it come before: of the same document and account, that are allowed, or denied, too. */
function turns(all: Cell[]): Map<Cell, number> {
  const before = new Map<string, number>();
  return new Map(
    all.map((cell) => {
      const like = `${cell.document} ${cell.who} ${cell.allowed}`,
        turn = before.get(like) ?? 0;
      before.set(like, turn + 1);
      return [cell, turn];
    }),
  );
}

/** survives tries the cells, until the mutant turns one over: those first that it could, where it is noticed, before others. */
async function survives(lane: Lane, { rules, noticed, more }: Mutant, turn: Map<Cell, number>): Promise<boolean> {
  await lane.load(rules);
  // The others come last: what is no condition, true in place of a list, may turn over any.
  const late = ({ document, allowed }: Cell) => Number(!noticed.some((path) => `/${pathOf(document)}`.endsWith(path))) + 2 * Number(allowed === more);
  const order = (cell: Cell) => 1e6 * late(cell) + (turn.get(cell)! + 1) * (cell.who === "author" ? 1 : 4) + telling.indexOf(cell.who) / 10;
  for (const cell of [...turn.keys()].sort((a, b) => order(a) - order(b))) {
    if ((await lane.allows(cell)) !== cell.allowed) return false;
  }
  return true;
}

test.each(files)("the table of %s has a document for each match, and each is called as the rules call it", (file) => {
  const last = /(?:\{path=\*\*\}\/)?[^/]+\/[^/]+$/; // a collection and a document, wherever they are or below the match around
  const named = [...tables[file].keys()].filter((document) => document.includes("{")).map((document) => `/${last.exec(pathOf(document))![0]}`);
  expect(
    matchesOf(bare(file))
      .slice(1)
      .map(([, path]) => path)
      .sort(),
  ).toEqual([...new Set(named)].sort()); // all are in the first, the database
});

// The files differ in relations alone, as matrix.test.ts has it, and in the functions that nothing calls then. So do their
// tables: what a cell tells of the first it tells of the second. What decides about the pace is told by rules with a pace.
test.each(texts)(
  "by %s every mutant differs in a cell",
  async (file) => {
    const survivors: string[] = [];
    const turn = turns([...tables[file].values()].flat());
    const mutants = mutantsOf(bare(file)).filter(({ match, pace }) => pace === (file === withPace) && (file !== files[1] || match.startsWith("/_relations/")));
    await spread(6, "mutants", file, mutants, async (lane, mutant) => {
      if (await survives(lane, mutant, turn)) survivors.push(mutant.name);
    });
    console.log(`${file}: ${mutants.length} mutants, ${survivors.length} mean the same`);
    expect(survivors.sort()).toEqual(equivalent[file]);
  },
  2_400_000,
);
