package names

import "slices"

// Fields of a relation that are its own. Posts have FieldUserID and FieldCreatedAt too.
const (
	FieldPostID       = "postId"
	FieldUserID       = "userId" // the author
	FieldIndexID      = "indexId"
	FieldIndexVersion = "indexVersion"
	FieldFollowers    = "followers" // ids
	FieldSizeBytes    = "sizeBytes" // of FieldFollowers
	FieldCreatedAt    = "createdAt"
)

// Fields that the functions write in user documents.
const (
	FieldFollowersIndex = "followers_index"      // ids of the index documents, in order
	FieldLatestIndex    = "latestFollowersIndex" // the current index document
)

// RelationFields returns the fields of a relation that are its own. FieldCreatedAt is both its
// own and a copy of the post's.
func RelationFields() []string {
	return []string{FieldPostID, FieldUserID, FieldIndexID, FieldIndexVersion, FieldFollowers, FieldSizeBytes, FieldCreatedAt}
}

// RelationField reports whether name is one of [RelationFields].
func RelationField(name string) bool { return slices.Contains(RelationFields(), name) }

// IndexField reports whether the functions write this field of user documents.
func IndexField(name string) bool { return name == FieldFollowersIndex || name == FieldLatestIndex }
