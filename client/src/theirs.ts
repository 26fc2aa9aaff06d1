/**
 * Text that others wrote, in one line: names, ids, kinds, #names. `isolatedText` marks it within any text, so that the direction
 * of a name changes nothing beside it. Pure.
 */
const open = "\u2068",
  close = "\u2069"; // Unicode's own marks of an isolate

const longest = 100;

const sign = "\\u2190-\\u27bf\\u2900-\\u2bff\\u{1f000}-\\u{1faff}",
  style = "[\\ufe0e\\ufe0f]?";
const letter = "[\\u0620-\\u077f\\u07c0-\\u07ff\\u0860-\\u08ff\\u1000-\\u109f\\u1780-\\u17b3\\u17b6-\\u17dd]",
  joiner = "[\\u200c\\u200d]";
/** Joiners and variation selectors with what they belong to: isLine of firestore.rules has the same patterns, and explains them. */
const belongs = [
  `[\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139${sign}\\u3030\\u303d\\u3297\\u3299]${style}(?:\\u200d[${sign}]${style})*`,
  "[0-9#*]\\ufe0f\\u20e3",
  "[\\u3400-\\u9fff\\u{20000}-\\u{3ffff}][\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
  "[\\u1820-\\u18aa][\\u180b-\\u180f]",
  `${letter}(?:${joiner}${letter})+`,
  `${joiner}?[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]${joiner}?`,
].join("|");
/** Characters that are not seen, or act on what is beside them. */
const hiding = new RegExp(
  `(${belongs})|[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffc\\u{13430}-\\u{1345f}\\u{16fe4}\\u{1d159}]`,
  "gu",
);

/**
 * A text of which every character is seen: one that hides is shown as "�", so that "ad\u200ba" is not "ada". Marks that
 * are piled upon a letter, and what is beyond 100 characters, are left out.
 */
export function visibleText(text: string): string {
  const characters = [...text.slice(0, 4 * longest)];
  const shown = characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text;
  return shown.replace(hiding, (_, kept: string | undefined) => kept ?? "\ufffd").replace(/(\p{M}{3})\p{M}+/gu, "$1");
}

/** A text of others as a part of a text. Whoever wrote it cannot end the isolate: visibleText leaves no such mark. */
export const isolatedText = (text: string): string => (text === "" ? "" : `${open}${visibleText(text)}${close}`);
