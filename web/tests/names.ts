// Names that people have and names that hide something: one table for the rules, the client and the Go package schema.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./system.ts";

/**
 * `right` are names that the rules accept, each with its key; `wrong` are names with a character that is not seen, by what it
 * is; `keys` are texts that are no names, each with its key.
 */
export const { right, wrong, keys } = JSON.parse(readFileSync(join(root, "schema", "testdata", "names.json"), "utf8")) as Record<
  "right" | "wrong" | "keys",
  Record<string, string>
>;

const rules = readFileSync(join(root, "firestore.rules"), "utf8");
/** The patterns in a function of the rules. C of RE2 has no unassigned characters. */
const patterns = (name: string) =>
  [...new RegExp(`function ${name}\\([^]*?\\n    }`).exec(rules)![0].matchAll(/\('([^']+)'/g)].map(
    ([, pattern]) => new RegExp(pattern!.replaceAll("\\\\x{", "\\u{").replaceAll("\\\\p{C}", "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}"), "gu"),
  );
const [seen] = patterns("isVisible"),
  pieces = patterns("isLine");

/** As isLine of firestore.rules. */
export const isLine = (text: string): boolean => pieces.reduce((plain, piece) => plain.replace(piece, "x"), text).search(seen!) === 0;
