// Package posts reads posts: the parts of a post that decide who reads it, and the posts of an audience. Deliveries use
// it, and so do commands that compare the documents of deliveries with posts.
//
// It writes nothing, and does not depend on followers or deliveries. It is not for showing posts: it decodes only the
// app's fields that deliveries copy.
package posts
