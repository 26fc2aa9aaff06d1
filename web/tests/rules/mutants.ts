// Mutants of the rules: the file with one condition changed, at the level of its text.
export interface Mutant {
  /** Such as: firestore.rules:57: allow read: signedIn() becomes true */
  name: string;
  /** The rules that it changes: one, or those that call a function. */
  touches: Touch[];
  /** Whether it allows more than the file does; else it allows less. */
  opens: boolean;
  rules: string;
}

/** A Touch is a rule: a document as the table calls it, and of "get", "list", "count", "create", "update", "delete" some. */
export interface Touch {
  document: string;
  operations: string[];
}

/** A condition is what follows an "allow …: if", or the "return" of a function that says yes or no. */
interface Condition {
  of: string;
  start: number;
  end: number;
  /** Of an allow. */
  touch?: Touch;
}

/** What the rules' words stand for; count() is a list to them. */
const words: Record<string, string[]> = {
  read: ["get", "list", "count"],
  list: ["list", "count"],
  write: ["create", "update", "delete"],
};

/**
 * mutants are: each allow with true and with false for its condition; and, there and in functions, each operand of && with
 * true, each operand of || with false. What is left when all of them differ somewhere has nothing in it that could go.
 */
export function mutants(rules: string): Mutant[] {
  const all = conditions(rules);
  const touches = ({ of, touch }: Condition): Touch[] =>
    touch ? [touch] : all.filter(({ start, end }) => rules.slice(start, end).includes(`${of}(`)).flatMap(touches);
  return all.flatMap((condition) => {
    const { of, start, end } = condition;
    const change = (from: number, to: number, value: boolean): Mutant => ({
      name: `firestore.rules:${line(rules, from)}: ${of}: ${rules.slice(from, to).replace(/\s+/g, " ")} becomes ${value}`,
      touches: touches(condition),
      opens: value,
      rules: rules.slice(0, from) + value + rules.slice(to),
    });
    const { operator, operands } = split(rules, start, end);
    const whole = [true, false].filter((value) => rules.slice(start, end) !== String(value));
    return [
      ...whole.map((value) => change(start, end, value)),
      ...operands.map(([from, to]) => change(from, to, operator === "&&")),
    ];
  });
}

/** documents are the paths that the rules match, as the table calls them. */
export function documents(rules: string): string[] {
  return [...new Set(conditions(rules).flatMap(({ touch }) => touch?.document ?? []))];
}

const database = "/databases/{database}/documents/";

/** conditions reads the file from its beginning, and knows by the braces which match it is in. */
function conditions(rules: string): Condition[] {
  const text = rules.replace(/\/\/.*/g, (comment) => " ".repeat(comment.length)); // offsets stay
  const found: Condition[] = [];
  const open: { path?: string; name?: string }[] = [];
  const token = /\bmatch\s+(?<path>\/\S+)\s*\{|\bfunction\s+(?<name>\w+)\([^)]*\)\s*\{|\b(?:allow\s+(?<operations>[\w, ]+):\s*if|return)\s+(?<condition>[^;]+);|[{}]/g;
  for (const match of text.matchAll(token)) {
    const { path, name, operations, condition } = match.groups!;
    if (condition !== undefined) {
      const start = match.index + match[0].indexOf(condition, operations === undefined ? 6 : match[0].indexOf(":") + 4);
      const at = { start, end: start + condition.trimEnd().length };
      if (operations !== undefined) {
        const document = open.map((block) => block.path ?? "").join("").slice(database.length);
        const each = operations.split(",").flatMap((word) => words[word.trim()] ?? [word.trim()]);
        found.push({ of: `allow ${operations}`, touch: { document, operations: each }, ...at });
      } else if (!condition.startsWith("[")) {
        found.push({ of: open.at(-1)!.name!, ...at });
      }
    } else if (match[0] === "}") {
      open.pop();
    } else {
      open.push({ ...(path && { path }), ...(name && { name }) });
    }
  }
  return found;
}

/** split finds the operands of the operator that is outside all parentheses; there are none without one. */
function split(text: string, start: number, end: number): { operator: string; operands: [number, number][] } {
  let depth = 0;
  let from = start;
  let operator = "";
  const operands: [number, number][] = [];
  for (let i = start; i < end; i++) {
    const two = text.slice(i, i + 2);
    depth += "([".includes(text[i]!) ? 1 : ")]".includes(text[i]!) ? -1 : 0;
    if (depth === 0 && (two === "&&" || two === "||")) {
      operands.push([from, i]);
      operator = two;
      from = i + 2;
      i++;
    }
  }
  if (operator !== "") {
    operands.push([from, end]);
  }
  return { operator, operands: operands.map(([a, b]) => trim(text, a, b)) };
}

function trim(text: string, from: number, to: number): [number, number] {
  const part = text.slice(from, to);
  return [from + part.length - part.trimStart().length, to - (part.length - part.trimEnd().length)];
}

const line = (text: string, offset: number) => text.slice(0, offset).split("\n").length;
