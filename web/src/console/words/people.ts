/** Which accounts to show of those that are known. Pure. */
import { nameKey } from "relationindex-client";
import type { Person } from "../data/documents";

const byName = new Intl.Collator(undefined, { numeric: true });

/** Those that a text is in, the ones with the most index documents first. */
export function matching(all: Person[], text: string): Person[] {
  const sought = nameKey(text);
  return all
    .filter((p) => nameKey(p.name).includes(sought) || nameKey(p.id).includes(sought))
    .sort((a, b) => b.indexIds.length - a.indexIds.length || byName.compare(a.name || a.id, b.name || b.id));
}
