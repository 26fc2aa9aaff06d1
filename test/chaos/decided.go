package chaos

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/timelines/layout"
)

// readDecided reads the times of what readers and commenters have written.
func (s *stamps) readDecided(ctx context.Context, client *firestore.Client) error {
	s.settings, s.comments = map[string]time.Time{}, map[string]map[string]time.Time{}
	settings, err := client.CollectionGroup("settings").Select().Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("times of settings: %w", err)
	}
	for _, doc := range settings {
		s.settings[doc.Ref.Parent.Parent.ID] = doc.UpdateTime
	}
	comments, err := client.CollectionGroup("comments").Select().Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("times of comments: %w", err)
	}
	for _, doc := range comments {
		post := doc.Ref.Parent.Parent.ID
		if s.comments[post] == nil {
			s.comments[post] = map[string]time.Time{}
		}
		s.comments[post][doc.Ref.ID] = doc.CreateTime
	}
	return nil
}

// adoptDecided takes what accounts that came back have decided from what is there: whether a purge
// has taken it is not for a model to say.
func (m *Model) adoptDecided(ctx context.Context, client *firestore.Client) error {
	for u := range m.back {
		doc, err := client.Doc(settingsOf(u)).Get(ctx)
		if err != nil && status.Code(err) != codes.NotFound {
			return err
		}
		var has struct {
			Hide   []string  `firestore:"hide"`
			Show   []string  `firestore:"show"`
			SeenAt time.Time `firestore:"seenAt"`
			ReadAt time.Time `firestore:"readAt"`
		}
		if doc.Exists() {
			if err := doc.DataTo(&has); err != nil {
				return err
			}
		}
		idle := !has.SeenAt.IsZero() && time.Since(has.SeenAt) > idleAfter
		m.readers[u] = decisions{has.Hide, has.Show, idle, has.ReadAt, m.readers[u].leftOut}
		posts, err := client.Collection("users/" + u + "/hidden").Select().Documents(ctx).GetAll()
		if err != nil {
			return fmt.Errorf("posts that %s hides: %w", u, err)
		}
		m.hidden[u] = map[string]bool{}
		for _, post := range posts {
			m.hidden[u][post.Ref.ID] = true
		}
	}
	return nil
}

// brought says whether a post certainly came to a reader who may have been left out of fan-outs, and
// who does not hide it now:
//
//   - The event of its last write is handled with the settings of today if these are older. Then it
//     is as for all.
//   - While the reader is idle, fan-outs leave them out, and recipients too. Only a follow brings
//     posts, and a rebuild, as somebody hides less. So a post that was as it is before the follow is
//     there, if that brings all, and does not leave it to the post's event since it names the reader.
//   - Otherwise the last change of the settings that shows it, or the return, has brought it by a
//     rebuild: if it was made after the follow, if a follow brings all, or if it names the reader. A
//     post that came to its audience later, by an edit, need not be among them.
//
// A rebuild up to a cap brings the newest posts at that time. Of these, some may be gone now, and
// others may have come: so with a cap each post may be missing then. See [Model.newestBack].
func (m *Model) brought(post modelPost, reader string, follows bool, edge time.Time, at stamp, handled, decided time.Time, cfg config.Functions) bool {
	named, all := m.names(post, reader), follows && cfg.Backfill >= allPosts
	switch d := m.readers[reader]; {
	case d.idle:
		return all && at.updated.Before(edge) && !slices.Contains(post.sent.To, reader) && reader != post.author
	case decided.Before(handled):
		return all || named || follows && edge.Before(handled)
	case cfg.Cap > 0:
		return false
	default:
		return all || named || follows && edge.Before(at.created)
	}
}

// newestBack are the posts that a reader has to have, up to a cap, who has come back when nothing was
// in flight: the newest of all that reach them, unless they were there before, as a ring may push
// these out. A rebuild looks at posts that a block keeps away too, and counts the posts of an
// audience that the reader hides.
func (m *Model) newestBack(reader string, s *stamps, cfg config.Functions) (must []string) {
	before, returned := m.before[reader]
	if !returned || cfg.Cap == 0 {
		return nil
	}
	rank := map[string]int{} // of the last post, among those of its audience
	n := 0
	for _, id := range m.newestFirst() {
		post := m.posts[id]
		if post.sent.Hidden {
			continue
		}
		audience := post.followedAs()
		rank[audience]++
		named := slices.Contains(post.sent.To, reader) || m.own && reader == post.author
		if !named && !m.Follows[reader][audience] || m.readers[reader].hides(post.author, post.kind) {
			continue
		}
		if n++; n > cfg.Cap {
			break
		}
		since := s.edges[followOf(reader, audience)].Before(s.posts[id].created)
		if m.reaches(post, reader) && !before[id] && (m.names(post, reader) || !named && (since || rank[audience] <= cfg.Backfill)) {
			must = append(must, id)
		}
	}
	return must
}

// newestFirst are the ids of all posts by createdAt.
func (m *Model) newestFirst() []string {
	var ids []string
	for id := range m.posts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := m.posts[b].entry.CreatedAt.Compare(m.posts[a].entry.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b, a)
	})
	return ids
}

// expects is what a reader's timeline may and has to show, and how many posts their settings leave
// out of it.
func (m *Model) expects(reader string, s *stamps, cfg config.Functions, b buckets) (x expected, left int) {
	x = expected{may: map[string]Entry{}, must: m.mustHave(reader, s, cfg, b), hidden: m.hidden[reader]}
	for _, id := range m.newestBack(reader, s, cfg) {
		x.must[id] = true
	}
	if cfg.Ranked {
		x.places = map[string]place{}
	}
	for _, e := range m.Feed(reader) {
		post := m.posts[e.Post]
		if m.readers[reader].hides(post.author, post.kind) {
			left++
			continue
		}
		if m.lacks(reader, e.Post) {
			continue
		}
		if x.may[e.Post] = e; cfg.Ranked {
			x.places[e.Post] = m.placeOf(e.Post, reader, s, b.created[e.Post])
		}
	}
	return x, left
}

// lacks says whether a reader certainly lacks a post: it is one of the last, which came when the
// reader had been idle for some time, and nothing was in flight that would bring it.
func (m *Model) lacks(reader, post string) bool {
	return m.away[reader] && m.readers[reader].idle && !m.back[reader] && isLast(post)
}

// place is where comments have put an entry. It stands at one of the times that the post and the
// comments have had, since nothing else sets it. It does not stand below what has certainly lifted it.
type place struct {
	least time.Time
	among []time.Time // sorted
	since time.Time   // unless zero, any later time: comments of accounts that are deleted
}

// has says whether an entry may stand there.
func (p place) has(at time.Time) bool {
	_, found := slices.BinarySearchFunc(p.among, at, time.Time.Compare)
	return !at.Before(p.least) && (found || !p.since.IsZero() && !at.Before(p.since))
}

func (p place) String() string {
	return fmt.Sprintf("one of %d times from %s", len(p.among), p.least.UTC().Format(time.RFC3339Nano))
}

// placeOf is where a reader's entry of a post may stand, whose document was created at created.
//
// It stands at the post's createdAt at least, which edits make greater alone. A comment has certainly
// lifted it if the entry was there when the comment was made, and so when its event was handled, and if
// the reader has followed the commenter or the comment's audience all the time since. The lift
// may find the reader among the post's recipients or the followers of its audience: so the post is for
// the same since, and the reader has followed its audience all the time, or is named. Other comments of
// accounts that the reader has ever followed may have lifted it, and each createdAt that the post had.
func (m *Model) placeOf(id, reader string, s *stamps, created time.Time) place {
	post := m.posts[id]
	p := place{least: post.entry.CreatedAt, among: slices.Clone(m.places[id])}
	follows := func(audience string, at time.Time) bool {
		edge, ok := s.edges[followOf(reader, audience)]
		return ok && m.Follows[reader][audience] && edge.Before(at)
	}
	for comment, op := range m.comments[id] {
		if !m.ever[reader][op.User] && !m.ever[reader][op.Audience] {
			continue
		}
		at, there := s.comments[id][comment]
		if !there { // whatever has taken it, it was made after the post
			p.since = s.posts[id].created
			continue
		}
		at = at.Truncate(time.Microsecond)
		p.among = append(p.among, at)
		same := !m.moved[id] || s.posts[id].updated.Before(at)
		found := m.names(post, reader) || follows(post.followedAs(), at)
		if same && found && created.Before(at) && (follows(op.User, at) || follows(op.Audience, at)) && at.After(p.least) {
			p.least = at
		}
	}
	slices.SortFunc(p.among, time.Time.Compare)
	return p
}

// compareUnread says how the number of unread posts of a first page differs from what it has to be; ""
// if it does not. Without readAt there is none.
func (m *Model) compareUnread(reader string, page feed.Page, x expected) string {
	readAt := m.readers[reader].readAt
	switch {
	case readAt.IsZero() && page.Unread == nil:
		return ""
	case readAt.IsZero() || page.Unread == nil:
		return fmt.Sprintf("unread is %v, and readAt %v", page.Unread, readAt)
	}
	least, most := 0, 0
	for _, post := range page.Posts {
		from, to := x.stand(m.posts[post.ID].entry)
		if from.After(readAt) {
			least++
		}
		if to.After(readAt) {
			most++
		}
	}
	n := page.Unread.Count
	if more := n == len(page.Posts) && page.Cursor != ""; n < least || n > most || page.Unread.More != more {
		return fmt.Sprintf("%+v unread of %d, want %d to %d, more is %t", *page.Unread, len(page.Posts), least, most, more)
	}
	return ""
}

// stand is between which times a post may stand.
func (x expected) stand(e Entry) (from, to time.Time) {
	p, ranked := x.places[e.Post]
	switch {
	case !ranked:
		return e.CreatedAt, e.CreatedAt
	case !p.since.IsZero():
		return p.least, time.Unix(math.MaxInt32, 0)
	default:
		return p.least, slices.MaxFunc(p.among, time.Time.Compare)
	}
}

// addDecided counts what a reader has decided, as far as it shows.
func (t *tally) addDecided(m *Model, reader string, got []layout.Entry, left int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Filtered += left
	before, returned := m.before[reader]
	for _, e := range got {
		if e.Hidden {
			t.Marked++
		}
		if post, ok := m.posts[e.Post]; ok && time.UnixMicro(e.At).After(post.entry.CreatedAt) {
			t.Lifted++
		}
		if returned && !before[e.Post] {
			t.Returned++
		}
	}
	if slices.ContainsFunc(m.Feed(reader), func(e Entry) bool { return m.lacks(reader, e.Post) }) {
		t.Idle++
	}
}

// idleReaders are those who are idle after ops.
func idleReaders(ops []Op) map[string]bool {
	idle := map[string]bool{}
	for u, d := range modelOf(ops).readers {
		idle[u] = d.idle
	}
	return idle
}

// timelinesOf are the posts that the timelines of those readers have who do ops, also such as a ring
// has no longer in its cap.
func timelinesOf(ctx context.Context, client *firestore.Client, ops []Op) (map[string]map[string]bool, error) {
	all := map[string]map[string]bool{}
	for _, op := range ops {
		docs, err := client.Collection("users/" + op.User + "/timeline").Select("posts").Documents(ctx).GetAll()
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", op.User, err)
		}
		all[op.User] = map[string]bool{}
		for _, doc := range docs {
			var has struct {
				Posts []string `firestore:"posts"`
			}
			if err := doc.DataTo(&has); err != nil {
				return nil, err
			}
			for _, p := range has.Posts {
				all[op.User][p] = true
			}
		}
	}
	return all, nil
}
