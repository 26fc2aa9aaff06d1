// Package posts reads posts: what a post is to its readers, and which posts an audience
// has. Deliveries use it, and commands that compare their documents with posts.
//
// It writes nothing, and knows no follower and no delivery. It is not for showing posts:
// of an app's fields it decodes those that deliveries copy.
package posts
