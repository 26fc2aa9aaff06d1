package uses

import (
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/feed"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
)

// fields are the fields of a document.
type fields = map[string]any

// set writes a document whole.
func (a app) set(path string, data fields) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Set(a.T.Context(), data))
}

// followSince writes a follow that was made at a time, as an import does.
func (a app) followSince(follower, account string, at time.Time) {
	a.T.Helper()
	a.set("users/"+account+"/followers/"+follower, fields{"createdAt": at})
}

// remove deletes a document.
func (a app) remove(path string) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
}

// comment writes a comment, as the client of the comment's author does. audience may be "".
func (a app) comment(post, id, author, audience string) {
	a.T.Helper()
	on, err := a.Client.Doc("posts/" + post).Get(a.T.Context())
	a.Must(nil, err)
	by, _ := on.Data()["userId"].(string)
	to, ok := on.Data()["audience"].(string)
	if !ok {
		to = by
	}
	data := fields{"userId": author, "createdAt": firestore.ServerTimestamp, "thread": by + "/" + to, "text": "text of " + id}
	if audience != "" {
		data["audience"] = audience
	}
	a.set("posts/"+post+"/comments/"+id, data)
}

// decide writes the patterns that a reader hides and shows, as their client does.
func (a app) decide(reader string, hide, show []string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/"+reader+"/settings/feed").Set(a.T.Context(), fields{"hide": hide, "show": show}, firestore.MergeAll))
}

// seen writes the time of a reader's last visit.
func (a app) seen(reader string, at time.Time) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/"+reader+"/settings/feed").Set(a.T.Context(), fields{"seenAt": at}, firestore.MergeAll))
}

// timeline returns at most limit posts of a reader's timeline in order, without posts that the reader
// hides, and the cost of the reads.
func (a app) timeline(reader string, limit int) (posts []string, used wire.Counts) {
	a.T.Helper()
	x, before := a.Index().Timelines, a.Used.Counts()
	page, err := pages.Newest(a.T.Context(), x.Database(), x.Layout(), reader, limit)
	if err != nil {
		a.T.Fatal(err)
	}
	used = a.Used.Counts().Minus(before)
	for _, e := range page {
		if !e.Hidden {
			posts = append(posts, e.Post)
		}
	}
	return posts, used
}

// wantTimeline checks a reader's whole timeline.
func (a app) wantTimeline(reader string, want ...string) {
	a.T.Helper()
	if got, _ := a.timeline(reader, 1000); !slices.Equal(got, want) {
		a.T.Errorf("the timeline of %s has %v, want %v", reader, got, want)
	}
}

// feed returns the feed that GET /Feed reads.
func (a app) feed() *feed.Feed { return feed.New(a.Client, a.Config, nil) }

// read returns the posts of a page, and the cost of the page.
func (a app) read(page func() (feed.Page, error)) (posts []string, used wire.Counts) {
	a.T.Helper()
	before := a.Used.Counts()
	p, err := page()
	if err != nil {
		a.T.Fatal(err)
	}
	for _, post := range p.Posts {
		posts = append(posts, post.ID)
	}
	return posts, a.Used.Counts().Minus(before)
}

// wantSlice checks the posts about an id that a reader sees, newest first: GET /Feed?ref=.
func (a app) wantSlice(reader, ref string, want ...string) {
	a.T.Helper()
	got, _ := a.read(func() (feed.Page, error) { return a.feed().Slice(a.T.Context(), reader, ref, 50, "") })
	if !slices.Equal(got, want) {
		a.T.Errorf("%s sees of %s %v, want %v", reader, ref, got, want)
	}
}

// wantSound checks every timeline against posts, follows and the readers' decisions.
func (a app) wantSound() {
	a.T.Helper()
	_, err := entries.Check(a.T.Context(), a.Index().Timelines, entries.Options{Report: func(p entries.Problem) { a.T.Errorf("verify-timelines: %v", p) }})
	if err != nil {
		a.T.Error(err)
	}
}

// written returns when each document of some collection groups was last written, by path.
func (a app) written(groups ...string) map[string]time.Time {
	a.T.Helper()
	at := map[string]time.Time{}
	for _, group := range groups {
		docs, err := a.Client.CollectionGroup(group).Documents(a.T.Context()).GetAll()
		if err != nil {
			a.T.Fatal(err)
		}
		for _, doc := range docs {
			at[doc.Ref.Path] = doc.UpdateTime
		}
	}
	return at
}

// wantWritten checks which documents of these collection groups are written or deleted by do, given
// their paths.
func (a app) wantWritten(groups []string, do func(), want ...string) {
	a.T.Helper()
	before := a.written(groups...)
	do()
	a.Settle()
	var got []string
	after := a.written(groups...)
	for path, at := range after {
		if !before[path].Equal(at) {
			got = append(got, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			got = append(got, path)
		}
	}
	database := a.Client.Doc("users/x").Path
	database = database[:len(database)-len("users/x")]
	for n, path := range want {
		want[n] = database + path
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
		a.T.Errorf("written (-want +got):\n%s", diff)
	}
}
