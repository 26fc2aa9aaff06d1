package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A post reaches two kinds of readers. The followers of its audience get it by one relation
// for each index document of the audience. Its recipients get it by one direct relation.

// GroupPrefix begins the id of every group, and of no person. A group is a document of the
// users collection that people follow, and as which nobody signs in.
const GroupPrefix = "g_"

// IsGroup reports whether id, of the users collection, is a group's.
func IsGroup(id string) bool { return strings.HasPrefix(id, GroupPrefix) }

// MaxRecipients is how many people a post's field `to` may name.
const MaxRecipients = 100

// DirectIndex stands for an index document in the name of a direct relation. It sorts
// before all index documents.
const DirectIndex = "00000"

// AudienceOf returns whose followers get a post by author: the author or a group; "" for
// nobody. fields are the post's, as [FieldsOf] returns them. A post from before audiences
// has no such field, and its author's followers get it. Nobody gets a hidden post.
//
// For a value that is no audience, AudienceOf returns "" and an error. That includes the
// id of another person, for whose followers the author does not speak. It does not check
// that a group exists, or that the author may post to it: rules do, when a client writes
// the post.
func AudienceOf(author string, fields map[string]any) (string, error) {
	if fields[FieldHidden] == true {
		return "", nil
	}
	value, ok := fields[FieldAudience]
	if !ok {
		return author, nil
	}
	audience, ok := value.(string)
	switch {
	case !ok:
		return "", fmt.Errorf("%s is not a string: no follower gets the post", FieldAudience)
	case audience == "", audience == author:
		return audience, nil
	case !IsGroup(audience):
		return "", fmt.Errorf("%s is neither the author nor a group: no follower gets the post", FieldAudience)
	}
	if err := CheckAccountID(audience); err != nil {
		return "", fmt.Errorf("%s: %w: no follower gets the post", FieldAudience, err)
	}
	return audience, nil
}

// RecipientsOf returns the people who get a post directly: those in `to` but for the
// author, and the author if own is true; sorted, each once. fields are the post's, as
// [FieldsOf] returns them. Nobody gets a hidden post.
//
// If `to` is not an array of at most [MaxRecipients] elements, nobody in it gets the post. An
// element that is no account's id reaches nobody, and the others get the post. The error says
// what is wrong.
func RecipientsOf(author string, fields map[string]any, own bool) ([]string, error) {
	if fields[FieldHidden] == true {
		return nil, nil
	}
	var recipients []string
	if own {
		recipients = []string{author}
	}
	value, ok := fields[FieldTo]
	if !ok {
		return recipients, nil
	}
	to, ok := value.([]any)
	if !ok {
		return recipients, fmt.Errorf("%s is not an array: nobody gets the post directly", FieldTo)
	}
	if len(to) > MaxRecipients {
		return recipients, fmt.Errorf("%s has %d elements, the limit is %d: nobody gets the post directly", FieldTo, len(to), MaxRecipients)
	}
	var strange error // the first
	for n, v := range to {
		id, _ := v.(string)
		if err := CheckAccountID(id); err != nil {
			strange = cmp.Or(strange, fmt.Errorf("%s[%d]: %w: it names nobody", FieldTo, n, err))
		} else if id != author {
			recipients = append(recipients, id)
		}
	}
	slices.Sort(recipients)
	return slices.Compact(recipients), strange
}

// RecipientsVersion returns the indexVersion of the direct relation for these recipients,
// which are sorted. Other recipients have another version.
func RecipientsVersion(recipients []string) int64 {
	hash := sha256.New()
	for _, id := range recipients {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(id)))) //nolint:gosec // an id is short
		hash.Write([]byte(id))
	}
	return int64(binary.BigEndian.Uint64(hash.Sum(nil)) >> 1)
}
