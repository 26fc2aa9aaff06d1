/**
 * A reader's filters: patterns `author/kind` to hide or show, where `*` stands for all. The functions apply the same rules to
 * timelines.
 */

/** The most patterns of a list, and the most bytes of all patterns, plus one for each. The rules reject more. */
export const maxPatterns = 200;
const maxBytes = 12_800;

export interface Filters {
  hide: string[];
  show: string[];
}

/** Stands for every author, or every kind. */
export const wildcard = "*";

/** "ada/photo" */
export const patternOf = (author: string, kind: string): string => `${author}/${kind}`;

/** Splits a pattern at the first slash, because only a kind may contain slashes; null: not a pattern. */
export function parsePattern(pattern: string): { author: string; kind: string } | null {
  const slash = pattern.indexOf("/");
  return slash < 1 ? null : { author: pattern.slice(0, slash), kind: pattern.slice(slash + 1) };
}

/** Whether posts of a kind by an author are hidden. The closest pattern decides; hide comes before show. */
export function isFiltered({ hide, show }: Filters, author: string, kind: string): boolean {
  for (const pattern of [patternOf(author, kind), patternOf(author, wildcard), patternOf(wildcard, kind), patternOf(wildcard, wildcard)]) {
    if (hide.includes(pattern)) return true;
    if (show.includes(pattern)) return false;
  }
  return false;
}

/** Whether a list has room for another pattern. */
export const hasRoom = (list: string[], pattern: string): boolean =>
  list.length < maxPatterns && new TextEncoder().encode([...list, pattern, ""].join("\n")).length <= maxBytes;

/** Reads a list of patterns from a document, without values that are not texts, and without patterns beyond the limits. */
export function patternsOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.slice(0, maxPatterns).filter((one): one is string => typeof one === "string") : [];
  const over = texts.findIndex((one, n) => !hasRoom(texts.slice(0, n), one));
  return over < 0 ? texts : texts.slice(0, over);
}
