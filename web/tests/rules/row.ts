// The shape of the table of rights, who × what × document. What is in it is in the files table.*.ts.
import type { Operation } from "./operations.ts";
import { type Who, who } from "./world.ts";

/**
 * A row says for each column, in the order of `who`, whether the operation is allowed (+) or denied (-). A moderator's mark
 * may be left out where it is a stranger's. Who is signed in with a group's id or a reserved one has none: they may do nothing. The operation
 * is made from the uid of whoever tries it, so that "one's own" is a row as well.
 */
export type Row = [marks: string, operation: (me: string) => Operation];

/** Every document has rows for these; beside them at least one "create with …", which is a create with bad fields. */
export const required = ["get", "list", "list unfiltered", "count", "create", "update", "delete"] as const;

export interface Rights {
  /**
   * The document's path as the rules match it, or what it is where no rule does. A path with more than one table has after
   * it, ", " between, which of its documents these are.
   */
  document: string;
  rows: Record<(typeof required)[number] | `create with ${string}`, Row>;
  /** More rows: what else is tried, and why it matters. */
  also?: Record<string, Row>;
}

/** A cell is one square of the table. */
export interface Cell {
  document: string;
  what: string;
  who: Who;
  allowed: boolean;
  operation: (me: string) => Operation;
}

/** cells are all squares of a document. They fail for a row that is missing, or has not one mark for each column. */
export function cells({ document, rows, also }: Rights): Cell[] {
  const all: Record<string, Row> = { ...rows, ...also };
  const names = Object.keys(all);
  for (const what of [...required, "create with "]) {
    if (!names.some((name) => name === what || (what.endsWith(" ") && name.startsWith(what)))) {
      throw new Error(`${document}: no row "${what}"`);
    }
  }
  return names.flatMap((what) => {
    const [marks, operation] = all[what]!;
    const given = marks.trim().split(/\s+/);
    const each = [...given, ...(given.length === who.length - 3 ? [given[who.indexOf("stranger")]] : []), "-", "-"];
    if (each.length !== who.length || each.some((mark) => mark !== "+" && mark !== "-")) {
      throw new Error(`${document}: ${what}: "${marks}": want + or - for each of ${who.join(", ")}`);
    }
    return who.map((w, column) => ({ document, what, who: w, allowed: each[column] === "+", operation }));
  });
}

/** pathOf is the path of a document, without which of its documents it is. */
export const pathOf = (document: string): string => document.split(", ")[0]!;
