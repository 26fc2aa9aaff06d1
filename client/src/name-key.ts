/** What names are sorted and searched by. Pure. The Go package schema has the same as NameKey, with the same tests. */

/** Letters that Unicode takes apart nowhere, as somebody without them types them; and a sigma is a sigma. */
const plain: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" };

/** In characters: a character in a name may become eighteen. */
const longest = 100;

/**
 * A name without case, accents and joiners, in any language the same: "Zoë Ångström" is "zoe angstrom". What is no accent of Latin,
 * Greek or Cyrillic letters stays: a vowel of Hindi is one.
 */
export function nameKey(name: string): string {
  const bare = name.normalize("NFKD").replace(/[\u0300-\u036f\u200c\u200d]/g, "").toLowerCase();
  const key = bare.replace(/[ßæœøłđıς]/g, (letter) => plain[letter]!).normalize("NFC").replace(/ +/g, " ").replace(/^ | $/g, "");
  return [...key].slice(0, longest).join("");
}

/** The fields of a profile, or of a group, that is called so. */
export const nameFields = (name: string): { name: string; nameLower: string } => ({ name, nameLower: nameKey(name) });
