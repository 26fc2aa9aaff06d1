package testkit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// AllCollections are the ids of all collections of the system and its clients.
var AllCollections = slices.Concat(Collections, []string{names.ReaderSettings, names.HiddenPosts, names.Hides, names.Rates})

// Leftovers returns a text for each document that names a deleted account or post, in its path or in its fields. Nothing
// may be in flight. These may name what is gone:
//   - the blocks of a deleted account by others, and a reader's patterns;
//   - posts to a deleted group, with the comments on them, and the group's tombstone and receipt, which have its id;
//   - the mark of an ended purge;
//   - of a deleted post: finished jobs, and what clients wrote about it.
func Leftovers(documents map[string]map[string]any, accounts, posts []string) (wrong []string) {
	for _, path := range slices.Sorted(maps.Keys(documents)) {
		data, parts := maps.Clone(documents[path]), strings.Split(path, "/")
		collection, where := parts[len(parts)-2], path
		switch collection {
		case names.Purging:
			if data[schema.FieldExpireAt] != nil {
				continue
			}
		case names.Blocked:
			where = parts[1]
		case names.Tombstones:
			where = strings.TrimPrefix(path, names.Tombstones+"/"+schema.GroupPrefix)
		case chunker.DefaultCollection:
			if strings.HasPrefix(parts[1], schema.PurgeJobID(schema.GroupPrefix)) {
				where = ""
			}
		case names.ReaderSettings:
			delete(data, "hide")
			delete(data, "show")
		case "posts", names.Comments:
			delete(data, schema.FieldAudience)
			data[schema.FieldThread], _, _ = strings.Cut(fmt.Sprint(data[schema.FieldThread]), "/")
		}
		named := map[string]bool{}
		see := func(text string) {
			for _, id := range accounts {
				if strings.Contains(text, id) {
					named[id] = true
				}
			}
			if slices.Contains([]string{chunker.DefaultCollection, names.Hides, names.HiddenPosts, names.Comments}, collection) {
				return
			}
			for _, id := range posts {
				if strings.Contains(text, id) {
					named[id] = true
				}
			}
		}
		see(where)
		Texts(data, see)
		for _, id := range slices.Sorted(maps.Keys(named)) {
			wrong = append(wrong, fmt.Sprintf("%s names %s, which is deleted", path, id))
		}
	}
	return wrong
}
