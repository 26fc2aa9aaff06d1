/** The key by which names are sorted and searched. The Go package schema has the same function, NameKey, with the same tests. */

/** Letters that Unicode does not decompose, and how people type them on other keyboards. A final sigma is a sigma. */
const plain: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" };

/** The most characters of a key: one character of a name may become eighteen. */
const longest = 100;

/**
 * Returns a name without case, accents and joiners, by the same rules in every language: "Zoë Ångström" becomes "zoe angstrom".
 * Only accents of Latin, Greek and Cyrillic letters go; other marks stay, such as vowels of Hindi.
 */
export function nameKey(name: string): string {
  const bare = name.normalize("NFKD").replace(/[\u0300-\u036f\u200c\u200d]/g, "").toLowerCase();
  const key = bare.replace(/[ßæœøłđıς]/g, (letter) => plain[letter]!).normalize("NFC").replace(/ +/g, " ").replace(/^ | $/g, "");
  return [...key].slice(0, longest).join("");
}

/** The name fields of a profile or group. */
export const nameFields = (name: string): { name: string; nameLower: string } => ({ name, nameLower: nameKey(name) });
