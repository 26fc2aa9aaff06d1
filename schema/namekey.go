package schema

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxNameKey is in characters: a character of a name may become eighteen.
const maxNameKey = 100

// plainLetters are letters that Unicode takes apart nowhere, as somebody without them types them; and a sigma is a sigma.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "ς", "σ")

// NameKey returns what a name is sorted and searched by, the field nameLower of a profile: without case, accents and
// joiners, in any language the same. "Zoë Ångström" is "zoe angstrom". What is no accent of Latin, Greek or Cyrillic letters
// stays: a vowel of Hindi is one. Clients have the same as nameKey (client/src/name-key.ts), with the same tests.
func NameKey(name string) string {
	bare := strings.Map(func(r rune) rune {
		if 0x300 <= r && r <= 0x36f || r == 0x200c || r == 0x200d {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	key := norm.NFC.String(plainLetters.Replace(strings.ToLower(bare)))
	words := strings.FieldsFunc(key, func(r rune) bool { return r == ' ' })
	letters := []rune(strings.Join(words, " "))
	return string(letters[:min(len(letters), maxNameKey)])
}
