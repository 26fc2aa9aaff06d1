package oracle

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Entry is a post as a timeline shows it.
type Entry struct {
	Post   string
	Shows  map[string]string // the fields of the post that it shows, by name
	At     time.Time         // where it stands
	Hidden bool              // marked as hidden
	Bucket int64             // entries of a higher bucket come first; 0: there are no buckets
}

// Judge compares a timeline, in its reader's order, with r. It returns one text for each difference,
// and none if the timeline is right.
func (r Reader) Judge(got []Entry) (wrong []string) {
	seen := map[string]bool{}
	for n, e := range got {
		p, ok := r.Posts[e.Post]
		switch {
		case seen[e.Post]:
			wrong = append(wrong, e.Post+" is there twice")
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s is there, though %s", e.Post, r.whyNot(e.Post)))
		default:
			wrong = append(wrong, p.differs(e)...)
		}
		if seen[e.Post] = true; n > 0 && !inOrder(got[n-1], e) {
			wrong = append(wrong, fmt.Sprintf("%s (%s) comes after %s (%s)", e.Post, clock(e.At), got[n-1].Post, clock(got[n-1].At)))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Posts)) {
		if p := r.Posts[id]; p.Must && !seen[id] && !r.pushedOut(p, got) {
			text := fmt.Sprintf("%s (%s) is missing, though %s", id, clock(p.CreatedAt), p.Why)
			if !r.Decided.IsZero() {
				text += ", and what they decided last, at " + clock(r.Decided) + ", does not hide it"
			}
			wrong = append(wrong, text)
		}
	}
	return wrong
}

// differs returns the differences between an entry and its post.
func (p Post) differs(e Entry) (wrong []string) {
	for _, name := range slices.Sorted(maps.Keys(e.Shows)) {
		if want := p.Shows[name]; e.Shows[name] != want {
			wrong = append(wrong, fmt.Sprintf("%s shows %s %q, want %q", e.Post, name, e.Shows[name], want))
		}
	}
	at := func(t time.Time) bool { return t.Truncate(time.Microsecond).Equal(e.At.Truncate(time.Microsecond)) }
	switch {
	case e.At.Before(p.Least.Truncate(time.Microsecond)):
		wrong = append(wrong, fmt.Sprintf("%s stands at %s, want %s at least", e.Post, clock(e.At), clock(p.Least)))
	case !slices.ContainsFunc(p.Places, at):
		wrong = append(wrong, fmt.Sprintf("%s stands at %s, where nothing put it", e.Post, clock(e.At)))
	}
	if e.Hidden != p.Hidden {
		wrong = append(wrong, fmt.Sprintf("%s has the mark %t, want %t", e.Post, e.Hidden, p.Hidden))
	}
	return wrong
}

// whyNot returns the reason why a post may not be there.
func (r Reader) whyNot(post string) string {
	p, ok := r.world.lastly(post)
	switch {
	case len(r.world.posts[post]) == 0:
		return "no such post was readable"
	case !ok:
		return "the post is gone, or nobody may read it"
	case len(r.ways[post]) == 0:
		return "the reader has never been among its audience"
	case r.Settings.Hides(p.author, p.kind):
		return fmt.Sprintf("the reader hides %s/%s", p.author, p.kind)
	}
	for _, w := range r.ways[post] {
		if w.audience == "" && r.world.lasts(w.span) { // nothing else keeps the post from them
			return fmt.Sprintf("it names the reader, who blocks its author %s", p.author)
		}
	}
	w := slices.MaxFunc(r.ways[post], func(a, b way) int { return a.to.Compare(b.to) })
	if !r.world.lasts(w.span) {
		return fmt.Sprintf("the reader has not been among its audience since %s", clock(w.to))
	}
	return fmt.Sprintf("it is of %s, older than the follow of %s, and was not among the newest", clock(p.created), w.audience)
}

// pushedOut reports whether a cap explains a missing post: as many newer posts are there now, or were
// there between two rests since the post came.
func (r Reader) pushedOut(p Post, got []Entry) bool {
	if r.cap == 0 {
		return false
	}
	newer := 0
	for _, e := range got {
		if !e.At.Before(p.Least) && e.Post != p.ID {
			newer++
		}
	}
	if newer >= r.cap {
		return true
	}
	from := r.world.now // when the reader could first read the post
	for _, w := range r.ways[p.ID] {
		if w.from.Before(from) {
			from = w.from
		}
	}
	for _, between := range r.world.betweenRests(from) {
		if r.newer(p, between) >= r.cap {
			return true
		}
	}
	return false
}

// newer counts the posts that may have been above a post in the timeline during at.
func (r Reader) newer(p Post, at span) (n int) {
	for id, ways := range r.ways {
		if id != p.ID && slices.ContainsFunc(ways, func(w way) bool {
			return w.may && !w.from.After(at.to) && !w.to.Before(at.from) && (!w.created.Before(p.Least) || r.lifted(id, p.Least))
		}) {
			n++
		}
	}
	return n
}

// lifted reports whether a comment may have lifted a post above a time.
func (r Reader) lifted(post string, at time.Time) bool {
	q := r.Posts[post]
	return len(q.Places) > 1 && q.Places[len(q.Places)-1].After(at)
}

// betweenRests returns the spans between consecutive rests that end at or after from. The last span
// ends now.
func (w *world) betweenRests(from time.Time) (all []span) {
	begin := time.Time{}
	for _, t := range append(slices.Clone(w.rests), w.now) {
		if s := (span{begin, t}); !t.Before(from) {
			all = append(all, s)
		}
		begin = t
	}
	return all
}

// inOrder reports whether b may come directly after a. At equal times, the higher id comes first;
// within a bucket, either may.
func inOrder(a, b Entry) bool {
	if a.Bucket != b.Bucket {
		return a.Bucket > b.Bucket
	}
	return a.At.After(b.At) || a.At.Equal(b.At) && (a.Bucket > 0 || a.Post >= b.Post)
}
