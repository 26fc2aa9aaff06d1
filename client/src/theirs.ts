/**
 * Text that others wrote, in one line: names, ids, kinds, #names. `isolated` marks it within any text, so that the direction
 * of a name changes nothing beside it. Pure.
 */
const open = "\u2068", close = "\u2069"; // Unicode's own marks of an isolate

const longest = 100;

/** Scripts whose letters take another form beside a joiner. */
const joined = `[${["Arab", "Syrc", "Nkoo", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Khmr", "Mymr"].map((script) => `\\p{scx=${script}}`).join("")}]`;
/** Where a character belongs that is not seen by itself: in an emoji, and between such letters. */
const belongs = `(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]*)\\u200d(?=\\p{Extended_Pictographic})|(?<=\\p{Emoji})\\ufe0f|(?<=${joined})[\\u200c\\u200d](?=${joined})`;
/** Characters that are not seen, or act on what is beside them. */
const hiding = new RegExp(`(${belongs})|[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb]`, "gu");

/**
 * A text of which every character is seen: one that hides is shown as "�", so that "ad\u200ba" is not "ada". Marks that
 * are piled upon a letter, and what is beyond 100 characters, are left out.
 */
export function visible(text: string): string {
  const characters = [...text.slice(0, 4 * longest)];
  const shown = characters.length > longest ? `${characters.slice(0, longest).join("")}…` : text;
  return shown.replace(hiding, (_, kept: string | undefined) => kept ?? "\ufffd").replace(/(\p{M}{3})\p{M}+/gu, "$1");
}

/** A text of others as a part of a text. Whoever wrote it cannot end the isolate: visible leaves no such mark. */
export const isolated = (text: string): string => (text === "" ? "" : `${open}${visible(text)}${close}`);
