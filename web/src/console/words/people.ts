/** Choice of the accounts to show from all known accounts. Pure. */
import { nameKey } from "relationindex-client";
import type { Person } from "../data/documents";

const byName = new Intl.Collator(undefined, { numeric: true });

/** Returns the accounts whose name or id contains a text. Accounts with the most index documents come first. */
export function matching(all: Person[], text: string): Person[] {
  const sought = nameKey(text);
  return all
    .filter((p) => nameKey(p.name).includes(sought) || nameKey(p.id).includes(sought))
    .sort((a, b) => b.indexIds.length - a.indexIds.length || byName.compare(a.name || a.id, b.name || b.id));
}
