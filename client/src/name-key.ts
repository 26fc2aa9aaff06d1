/** The key by which names are sorted and searched. The Go package schema has the same function, NameKey, tested by the same table. */

/**
 * Letters that Unicode does not decompose, and how people type them on other keyboards. A final sigma is a sigma. Letters of
 * Malayalam and Bengali without a vowel are those that older keyboards write with a virama and a joiner.
 */
const plain: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
  ς: "σ",
  ൺ: "ണ്",
  ൻ: "ന്",
  ർ: "ര്",
  ൽ: "ല്",
  ൾ: "ള്",
  ൿ: "ക്",
  ৎ: "ত্",
};
const plainLetters = new RegExp(`[${Object.keys(plain).join("")}]`, "g");

/** Accents of Latin, Greek and Cyrillic letters, joiners and variation selectors. */
const left = /[\u0300-\u036f\u180e\p{Join_Control}\p{Variation_Selector}]/gu;

/** The most characters of a key: one character of a name may become eighteen. */
const longest = 100;

/**
 * Returns a name without case, accents, joiners and variation selectors, by the same rules in every language: "Zoë Ångström"
 * becomes "zoe angstrom". Only accents of Latin, Greek and Cyrillic letters go; other marks stay, such as vowels of Hindi.
 */
export function nameKey(name: string): string {
  const bare = name.normalize("NFKD").replace(left, "").toLowerCase();
  const key = bare
    .replace(plainLetters, (letter) => plain[letter]!)
    .normalize("NFC")
    .replace(/ +/g, " ")
    .replace(/^ | $/g, "");
  return [...key].slice(0, longest).join("");
}

/** The name fields of a profile or group. */
export const nameFields = (name: string): { name: string; nameLower: string } => ({ name, nameLower: nameKey(name) });
