/** Which accounts to show of those that are known. Pure. */
import type { Person } from "../data/documents";

/** Those that a text is in, the ones with the most index documents first. */
export function matching(all: Person[], text: string): Person[] {
  const sought = text.trim().toLowerCase();
  return all
    .filter((p) => p.name.toLowerCase().includes(sought) || p.id.toLowerCase().includes(sought))
    .sort((a, b) => b.indexIds.length - a.indexIds.length || (a.name || a.id).localeCompare(b.name || b.id));
}
