/** What posts are about: a ref is a #name out of the text, or the id of an account. Pure. */

/** How many a post has; the rules refuse more. */
export const maxRefs = 10;

/** A #name in a text. */
export const tagPattern = /(?<![\p{L}\p{N}_&#/])#[\p{L}\p{N}_]{1,50}(?![\p{L}\p{N}_])/gu;

/** "Frost on the #Allotment" → ["#allotment"]. With the #, a name is no id of an account. */
export function tagsOf(text: string): string[] {
  const names = [...text.matchAll(tagPattern)].map(([name]) => name.toLowerCase());
  return [...new Set(names)].slice(0, maxRefs);
}

/** Whether a ref names itself. */
export const isTag = (ref: string): boolean => ref.startsWith("#");

/** The refs of a text on a page that is about something. */
export function refsOf(text: string, about: string[]): string[] {
  return [...new Set([...about, ...tagsOf(text)])].slice(0, maxRefs);
}
