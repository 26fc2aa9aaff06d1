/** Refs, the subjects of a post: #names in its text, and ids of accounts. */

/** The most refs of a post; the rules reject more. */
export const maxRefs = 10;

/** A #name in a text. */
export const tagPattern = /(?<![\p{L}\p{N}_&#/])#[\p{L}\p{N}_]{1,50}(?![\p{L}\p{N}_])/gu;

/** "Frost on the #Allotment" → ["#allotment"]. The # distinguishes names from ids of accounts. */
export function tagsOf(text: string): string[] {
  const names = [...text.matchAll(tagPattern)].map(([name]) => name.toLowerCase());
  return [...new Set(names)].slice(0, maxRefs);
}

/** Reports whether a ref is a #name. */
export const isTag = (ref: string): boolean => ref.startsWith("#");

/** Returns the refs of a text that is written on a page about a subject. */
export function refsOf(text: string, about: string[]): string[] {
  return [...new Set([...about, ...tagsOf(text)])].slice(0, maxRefs);
}
