/**
 * What a reader hides and shows, as patterns `author/kind` in their settings: either may be `*`, for all. The functions
 * decide by the same rules what reaches a timeline. Pure: no SDK, no DOM.
 */

/** How many patterns a list may have, and how many bytes in all, with one more for each; the rules refuse more. */
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

/** In two at the first slash: ids have none, a kind may have some. null: not a pattern. */
export function parsePattern(pattern: string): { author: string; kind: string } | null {
  const slash = pattern.indexOf("/");
  return slash < 1 ? null : { author: pattern.slice(0, slash), kind: pattern.slice(slash + 1) };
}

/** Whether posts of a kind by an author are hidden. The closest pattern decides; hide comes before show. */
export function hides({ hide, show }: Filters, author: string, kind: string): boolean {
  for (const pattern of [patternOf(author, kind), patternOf(author, wildcard), patternOf(wildcard, kind), patternOf(wildcard, wildcard)]) {
    if (hide.includes(pattern)) return true;
    if (show.includes(pattern)) return false;
  }
  return false;
}

/** Whether a list has room for another pattern. */
export const hasRoom = (list: string[], pattern: string): boolean =>
  list.length < maxPatterns && new TextEncoder().encode([...list, pattern, ""].join("\n")).length <= maxBytes;

/** A list of patterns out of a document: what is no text, or too much, counts for nothing. */
export function patternsOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.slice(0, maxPatterns).filter((one): one is string => typeof one === "string") : [];
  const over = texts.findIndex((one, n) => !hasRoom(texts.slice(0, n), one));
  return over < 0 ? texts : texts.slice(0, over);
}
