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

// GroupPrefix begins the id of every group, and of no person. A group is a document of the users collection.
// People follow a group, and nobody signs in as one.
const GroupPrefix = "g_"

// IsGroup reports whether id, of the users collection, is the id of a group.
func IsGroup(id string) bool { return strings.HasPrefix(id, GroupPrefix) }

// MaxRecipients is how many people a post's field `to` may name.
const MaxRecipients = 100

// DirectIndex stands for an index document in the name of a direct relation. It sorts
// before all index documents.
const DirectIndex = "00000"

// AudienceOf returns the audience of a post by author: the author or a group, whose followers get the post; ""
// for none. fields are the post's, as [FieldsOf] returns them. The author's followers get a post without the
// field audience: such posts are older than audiences. Nobody gets a hidden post.
//
// For an invalid audience, AudienceOf returns "" and an error. The id of another person is invalid, because an
// author cannot post to another person's followers. AudienceOf does not check that a group exists, or that the
// author may post to it: rules check this when a client writes the post.
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

// RecipientsOf returns the people who get a post directly, sorted, each once. These are the people in `to`
// except the author, and the author if own is true. fields are the post's, as [FieldsOf] returns them. Nobody
// gets a hidden post.
//
// If `to` is not an array of at most [MaxRecipients] elements, nobody in it gets the post. An element that is
// not an account's id reaches nobody, and the others get the post. The error describes the fault.
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

// RecipientsVersion returns the indexVersion of the direct relation for sorted recipients. Other recipients
// have another version.
func RecipientsVersion(recipients []string) int64 {
	hash := sha256.New()
	for _, id := range recipients {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(id)))) //nolint:gosec // an id is short
		hash.Write([]byte(id))
	}
	return int64(binary.BigEndian.Uint64(hash.Sum(nil)) >> 1)
}
