package schema

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxNameKey is in characters: a single character of a name may become eighteen.
const maxNameKey = 100

// plainLetters maps letters that Unicode does not decompose to the letters that people type instead. It also
// maps a final sigma to a sigma, and letters of Malayalam and Bengali without a vowel to those that older
// keyboards write with a virama and a joiner.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "ς", "σ",
	"ൺ", "ണ്", "ൻ", "ന്", "ർ", "ര്", "ൽ", "ല്", "ൾ", "ള്", "ൿ", "ക്", "ৎ", "ত্")

// NameKey returns the sort and search key of a name, for the field nameLower of a profile. It is the same in
// any language, without case, accents, joiners and variation selectors. "Zoë Ångström" becomes "zoe angstrom".
// NameKey keeps marks that are not accents of Latin, Greek or Cyrillic letters, such as a vowel of Hindi. Clients
// have the same function, nameKey (client/src/name-key.ts), tested by the same table.
func NameKey(name string) string {
	bare := strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f || r == 0x180e || unicode.In(r, unicode.Join_Control, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	key := norm.NFC.String(plainLetters.Replace(strings.ToLower(bare)))
	words := strings.FieldsFunc(key, func(r rune) bool { return r == ' ' })
	letters := []rune(strings.Join(words, " "))
	return string(letters[:min(len(letters), maxNameKey)])
}
