package oracle

import (
	"cmp"
	"slices"
	"time"
)

// among has the posts of an audience that were among the newest since a reader followed it.
type among struct {
	lately map[string]time.Time // by post: until when a follow brings it, though the post is older than the follow
	always map[string]bool      // posts among the newest of all, all the time
}

// newest returns the posts that were among the newest n of an audience during a life of a follow. For
// lately, only posts up to a createdAt of the follow compete, and posts that may be gone with their
// author's account do not count. For always, all posts of the audience compete.
func (w *world) newest(audience string, life follow, n int) among {
	a := among{map[string]time.Time{}, map[string]bool{}}
	if n == 0 {
		return a
	}
	since := life.from
	if life.earliest.Before(since) {
		since = life.earliest
	}
	sent := w.sent[audience]
	moments := []time.Time{since, life.from}
	for _, p := range sent {
		for _, t := range []time.Time{p.from, p.leaves, p.to} {
			if t.After(since) && t.Before(life.to) {
				moments = append(moments, t)
			}
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	held := map[string]int{} // moments since the follow was written
	count := 0
	for i, t := range moments {
		to := life.to
		if i+1 < len(moments) {
			to = moments[i+1]
		}
		if !t.Before(to) {
			continue
		}
		var there []spell
		for _, p := range sent {
			if !p.from.After(t) && t.Before(p.to) {
				there = append(there, p)
			}
		}
		slices.SortFunc(there, func(a, b spell) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.post, a.post)) })
		for _, f := range life.all {
			old := slices.DeleteFunc(slices.Clone(there), func(p spell) bool { return p.created.After(f.Add(-Margin)) })
			before := 0
			for _, p := range old {
				if before < n {
					a.lately[p.post] = to
				}
				if p.leaves.IsZero() || t.Before(p.leaves) {
					before++
				}
			}
		}
		for rank, p := range there {
			if rank < n && !t.Before(life.from) {
				held[p.post]++
			}
		}
		if !t.Before(life.from) {
			count++
		}
	}
	for post, n := range held {
		a.always[post] = n == count
	}
	return a
}
