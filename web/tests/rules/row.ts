// The shape of the table of rights, who × what × document. The rows are in the files table.*.ts.
import type { Operation } from "./operations.ts";
import { type Who, who } from "./world.ts";

/**
 * A Row says for each column, in the order of `who`, whether the operation is allowed (+) or denied (-). A moderator's mark
 * may be left out if it equals a stranger's. The columns group and reserved have no mark: they may do nothing. The operation
 * is created with the uid of the account that tries it, so that a row can be about the account's own documents.
 */
export type Row = [marks: string, operation: (me: string) => Operation];

/** required are the rows that each document has. It also has at least one "create with …": a create with bad fields. */
export const required = ["get", "list", "list unfiltered", "count", "create", "update", "delete"] as const;

export interface Rights {
  /**
   * The document's path as the rules match it, or a description if no rule does. If a path has more than one table, ", " and the
   * kind of its documents follow the path.
   */
  document: string;
  rows: Record<(typeof required)[number] | `create with ${string}`, Row>;
  /** Further rows, by what they try and why that matters. */
  also?: Record<string, Row>;
}

/** Cell is one square of the table. */
export interface Cell {
  document: string;
  what: string;
  who: Who;
  allowed: boolean;
  operation: (me: string) => Operation;
}

/** cells returns all squares of a document. It throws an error if a row is missing, or does not have one mark for each column. */
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

/** pathOf returns the path in a document's name, without the kind of its documents. */
export const pathOf = (document: string): string => document.split(", ")[0]!;
