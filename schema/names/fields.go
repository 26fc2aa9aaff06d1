package names

import "slices"

// Fields of a relation that are its own. Posts have FieldUserID, FieldAudience and FieldCreatedAt too.
const (
	FieldPostID       = "postId"
	FieldUserID       = "userId" // the author
	FieldAudience     = "audience"
	FieldIndexID      = "indexId"
	FieldIndexVersion = "indexVersion"
	FieldFollowers    = "followers" // ids
	FieldSizeBytes    = "sizeBytes" // of FieldFollowers
	FieldCreatedAt    = "createdAt"
	FieldExpireAt     = "expireAt" // when a TTL policy deletes it; missing without a horizon
)

// Fields of a post that decide who gets it, beside its author.
const (
	FieldTo     = "to"     // ids of people who get it directly
	FieldHidden = "hidden" // true if nobody gets it
)

// FieldKind is a post's field with the app's word for its kind. Timelines copy it.
const FieldKind = "kind"

// FieldRefs is a post's field with the ids of its subjects.
const FieldRefs = "refs"

// FieldCounts is a map of numbers that functions keep in documents of users and posts: see package tallies.
const FieldCounts = "counts"

// PostFields returns the fields of a post that decide who gets it, its creation time, and its subjects.
func PostFields() []string {
	return []string{FieldUserID, FieldCreatedAt, FieldAudience, FieldTo, FieldHidden, FieldRefs}
}

// Fields that the functions write in user documents.
const (
	FieldFollowersIndex = "followers_index"      // ids of the index documents, in order
	FieldLatestIndex    = "latestFollowersIndex" // the current index document
)

// RelationFields returns the fields of a relation that are its own. FieldCreatedAt is both its
// own and a copy of the post's.
func RelationFields() []string {
	return []string{FieldPostID, FieldUserID, FieldAudience, FieldIndexID, FieldIndexVersion, FieldFollowers, FieldSizeBytes, FieldCreatedAt, FieldExpireAt}
}

// RelationField reports whether name is one of [RelationFields].
func RelationField(name string) bool { return slices.Contains(RelationFields(), name) }

// IndexField reports whether the functions write this field of user documents.
func IndexField(name string) bool {
	return name == FieldFollowersIndex || name == FieldLatestIndex || name == FieldCounts
}
