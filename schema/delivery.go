package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// Delivery brings new posts to their readers in a way that the app defines, beside relations and timelines: by mail, by
// push, by a document for each reader. The folder examples has three. Package sending chooses the posts and the
// readers.
type Delivery struct {
	// Name names the delivery in jobs and logs: 1 to 20 lower-case letters and digits, a letter first. It never changes.
	Name string

	// Bring brings a new post to some of its readers, at most 200, who have distinct ids and are not the
	// author. It reads and writes in the transaction, reads first. After the commit, these readers have the
	// post.
	//
	// The functions may call Bring again for readers who already have the post: after a crash, or when the
	// transaction is retried. So Bring writes a document whose id names the post and the reader. If the
	// document must not be written twice, such as a mail, Bring reads it first and keeps an existing one.
	// After an error the job tries again, for about a day; later readers wait.
	//
	// Until Bring returns, follows of the post's audience wait for the transaction. So do not call a service
	// in Bring: write documents that something else sends. ctx ends after 30 s. nil: the delivery is off, and
	// only Forget is used.
	Bring func(ctx context.Context, db *firestore.Client, tx *firestore.Transaction, post NewPost, readers []string) error

	// Forget returns the query for the documents to delete with an account: the delivery's documents for it as
	// a reader, and those of its posts. The documents are deleted whole. A document of several posts or
	// readers would delete others' data, so write one for each post and reader. The query needs no composite
	// index, or a deployed one.
	//
	// Functions forget nothing for a delivery that is not configured. So keep a delivery, without Bring, while
	// its documents exist. nil: the delivery writes no documents.
	Forget func(db *firestore.Client, account string) firestore.Query

	// Daily is the most posts of an author that a process brings in a day. This delivery skips further posts.
	// 0: all.
	Daily int
}

// NewPost is posts/{ID}, as a [Delivery] gets it.
type NewPost struct {
	ID       string
	Author   string
	Audience string    // whose followers get it: a person's or a group's; "": only its recipients get it
	Kind     string    // "": none
	Refs     []string  // ids of its subjects
	Created  time.Time // its createdAt
}

// isDeliveryName reports whether a name is valid: see [Delivery.Name].
func isDeliveryName(name string) bool {
	odd := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	return name != "" && len(name) <= 20 && name[0] > '9' && !strings.ContainsFunc(name, odd)
}

// checkDeliveries joins an error for each invalid [Delivery].
func checkDeliveries(deliveries []Delivery) error {
	var errs []error
	seen := map[string]bool{}
	for _, d := range deliveries {
		if !isDeliveryName(d.Name) || seen[d.Name] {
			errs = append(errs, fmt.Errorf("delivery %.80q: must be named by 1 to 20 lower-case letters and digits, a letter first, and only once", d.Name))
		}
		if d.Daily < 0 {
			errs = append(errs, fmt.Errorf("delivery %s: Daily is %d: must be 0 (no limit) or more", d.Name, d.Daily))
		}
		seen[d.Name] = true
	}
	return errors.Join(errs...)
}
