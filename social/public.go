package social

import (
	"example.com/relationindex/schema"
)

// Config is the whole configuration of the functions: docs/configuration.md has its fields, as variables. The zero value
// of a field is its default.
type Config = schema.Config

// Types of an app's additions.
type (
	// Delivery brings new posts to their readers in the app's own way.
	Delivery = schema.Delivery
	// NewPost is a post as a Delivery gets it.
	NewPost = schema.NewPost
	// Ranking decides for which accounts a comment lifts a post, and how high.
	Ranking = schema.Ranking
	// Comment is a comment as a Ranking gets it.
	Comment = schema.Comment
)
