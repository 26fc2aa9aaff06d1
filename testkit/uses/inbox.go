package uses

import (
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
)

// inboxVariables are the variables of docs/uses/inbox.md.
var inboxVariables = schema.Config{NoOwnPosts: true,
	Feeds: []string{"buckets"}, PostsFilled: true, ReaderSettings: true, Idle: 30 * 24 * time.Hour,
}

// inboxes returns the configurations of the page that write timelines. Each also serves fan-out on
// read.
func inboxes() map[string]schema.Config {
	items := inboxVariables
	items.Feeds = []string{"items"}
	return map[string]schema.Config{"items": items, "buckets": inboxVariables}
}

// send writes n messages to people, and waits after each batch of some. Within a batch, events come in
// any order.
func (a app) send(n, some int, to ...string) (newest []string) {
	a.T.Helper()
	for i := range n {
		id := fmt.Sprintf("m%03d", i)
		a.PostTo(id, []string{"ann", "bob", "cat"}[i%3], "", later.Add(time.Duration(i)*time.Minute), to...)
		if newest = append(newest, id); i%some == some-1 {
			a.Settle()
		}
	}
	a.Settle()
	slices.Reverse(newest)
	return newest
}

// wantUnread checks the Unread of a reader's first page of five posts. The reader's client writes
// readAt.
func (a app) wantUnread(reader string, readAt time.Time, want feed.Unread) {
	a.T.Helper()
	a.set("users/"+reader+"/settings/read", fields{"readAt": readAt})
	a.Settle()
	page, err := a.feed().Timeline(a.T.Context(), reader, 5, "")
	if err != nil || page.Unread == nil || *page.Unread != want {
		a.T.Errorf("of %s, %+v are unread (%v), want %+v", reader, page.Unread, err, want)
	}
}

func inbox(w world) {
	bucket := 5
	if w.costs {
		bucket = 50
	}
	for form, cfg := range inboxes() {
		// The reads of the newest 50 and 100, and of a message to three.
		once, twice, message := bucket, 2*bucket, int64(14)
		if form == "buckets" {
			cfg.Bucket = bucket
			once, twice, message = 2, 3, 22
		}
		a := w.start(cfg)
		a.profiles("me", "you", "her")
		newest := a.send(2*bucket+bucket/5, bucket/5, "me", "you")
		for n, reads := range map[int]int{bucket: once, 2 * bucket: twice} {
			page, used := a.timeline("me", n)
			if !slices.Equal(page, newest[:n]) || used.Reads != int64(reads) {
				a.T.Errorf("%s: the newest %d cost %v, want %d reads: %v", form, n, used, reads, page)
			}
		}
		// Fan-out on read returns the same posts, and writes nothing.
		page, used := a.read(func() (feed.Page, error) { return a.feed().Pull(a.T.Context(), "me", bucket, "") })
		if !slices.Equal(page, newest[:bucket]) || used.Reads < int64(2*bucket) {
			a.T.Errorf("%s: by pull, the newest %d cost %v: %v", form, bucket, used, page)
		}
		if form == "buckets" { // the total is read, not counted
			a.wantCounter("me", 3, int64(len(newest)))
		}
		a.wantUnread("you", later.Add(time.Duration(len(newest)-3)*time.Minute), feed.Unread{Count: 2})
		a.wantUnread("you", later.Add(-time.Minute), feed.Unread{Count: 5, More: true})
		a.wantCost(form+": a message to three", message, 3, func() { a.PostTo("last", "ann", "", later.AddDate(0, 0, 1), "me", "you", "her") })
		a.wantTimeline("her", "last")
		a.wantTimeline("ann") // the author of the message
		a.wantSound()
	}
}

// A reader who has been away for long costs no writes. When they return, their inbox is filled up, and
// new messages are written to it again.
func inboxOfThoseWhoWereAway(w world) {
	for form, cfg := range inboxes() {
		a := w.start(cfg)
		a.seen("me", time.Now().Add(-time.Hour))
		a.seen("away", time.Now().AddDate(0, 0, -60))
		a.Settle()
		a.profiles("me", "away")
		newest := a.send(20, 10, "me", "away")
		a.wantTimeline("me", newest...)
		a.wantTimeline("away")
		a.wantCost(form+": a message to one who is there and one who is not", 12, 1, func() {
			a.PostTo("p1", "ann", "", later.AddDate(0, 0, 1), "me", "away")
		})
		newest = append([]string{"p1"}, newest...)
		page, _ := a.read(func() (feed.Page, error) { return a.feed().Pull(a.T.Context(), "away", 50, "") })
		if !slices.Equal(page, newest) {
			a.T.Errorf("%s: by pull, away has %v", form, page)
		}
		a.seen("away", time.Now())
		a.Settle()
		a.wantTimeline("away", newest...)
		a.wantCost(form+": a message to two who are there", 13, 2, func() {
			a.PostTo("p2", "ann", "", later.AddDate(0, 0, 2), "me", "away")
		})
		for _, reader := range []string{"me", "away"} {
			a.wantTimeline(reader, append([]string{"p2"}, newest...)...)
		}
		a.wantSound()
	}
}
