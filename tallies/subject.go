package tallies

import (
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// The numbers of an account, and of a post, by the names of their fields.
const (
	followersOf = "followers"
	followingOf = "following"
	postsOf     = "posts"
	likesOf     = "likes"
	commentsOn  = "comments"
)

// The verbs of notifications.
const (
	Follow  = "follow"  // by object, a day in UTC such as 2026-11-27: accounts that began to follow on that day
	Request = "request" // object "": accounts that ask to follow
	Like    = "like"    // by object, a post of the account
	Comment = "comment" // likewise
	Mention = "mention" // by object, an author whose posts name the account; its document has a hash of the author
)

// Subject is one number, or one notification.
type Subject struct {
	Of     string // the account, or the post
	Number string // one of the names above; "": the subject is a notification
	Verb   string // of a notification
	Object string // of a notification

	anew bool // of a mention: a post names the account now, however old the post is
}

// Followers is the number of an account's followers.
func Followers(u string) Subject { return Subject{Of: u, Number: followersOf} }

// Following is the number of accounts that an account follows.
func Following(u string) Subject { return Subject{Of: u, Number: followingOf} }

// Posts is the number of posts to an audience that are not hidden.
func Posts(u string) Subject { return Subject{Of: u, Number: postsOf} }

// Likes is the number of likes of a post.
func Likes(p string) Subject { return Subject{Of: p, Number: likesOf} }

// Comments is the number of comments in the thread of a post.
func Comments(p string) Subject { return Subject{Of: p, Number: commentsOn} }

// Notification is account u's notification of a verb about an object.
func Notification(u, verb, object string) Subject {
	return Subject{Of: u, Verb: verb, Object: object}
}

// DayOf returns the object of a follow notification for a follow made at a time.
func DayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// ofPost reports whether the subject is a number of a post.
func (s Subject) ofPost() bool { return s.Number == likesOf || s.Number == commentsOn }

// valid reports whether the subject can have a document.
func (s Subject) valid() bool {
	switch {
	case s.ofPost():
		return schema.CheckPostID(s.Of) == nil
	case schema.CheckAccountID(s.Of) != nil:
		return false
	case s.Number != "":
		return s.Number == followersOf || s.Number == followingOf || s.Number == postsOf
	case schema.IsGroup(s.Of): // nobody signs in as one
		return false
	case s.Verb == Follow:
		_, err := time.Parse(time.DateOnly, s.Object)
		return err == nil
	case s.Verb == Request:
		return s.Object == ""
	}
	if s.Verb == Mention { // authors see their own posts in their feed
		return schema.CheckFollow(s.Object, s.Of) == nil
	}
	return (s.Verb == Like || s.Verb == Comment) && schema.CheckPostID(s.Object) == nil
}

// jobID returns the id of the subject's job.
func (s Subject) jobID() string { return schema.TallyJobID(s.Of, s.Number, s.Verb, s.Object) }

// args returns the subject as the arguments of its job.
func (s Subject) args() map[string]string {
	args := map[string]string{schema.ArgAccount: s.Of, schema.ArgVerb: s.Verb, schema.ArgObject: s.Object}
	if s.ofPost() {
		args = map[string]string{schema.ArgPost: s.Of, schema.ArgNumber: s.Number}
	} else if s.Number != "" {
		args = map[string]string{schema.ArgAccount: s.Of, schema.ArgNumber: s.Number}
	}
	return args
}

// subjectOf returns the subject of a job.
func subjectOf(args map[string]string) Subject {
	s := Subject{Of: args[schema.ArgAccount], Number: args[schema.ArgNumber], Verb: args[schema.ArgVerb], Object: args[schema.ArgObject]}
	if s.ofPost() {
		s.Of = args[schema.ArgPost]
	}
	return s
}

// storedSubject returns the subject of a notification of account u, by its document.
func storedSubject(u string, doc *firestore.DocumentSnapshot) Subject {
	verb, object, _ := strings.Cut(doc.Ref.ID, ".")
	if verb == Mention {
		object = ""
		if actors, _ := schema.FieldsOf(doc, fieldActors)[fieldActors].([]any); len(actors) > 0 {
			object, _ = actors[0].(string)
		}
	}
	return Notification(u, verb, object)
}
