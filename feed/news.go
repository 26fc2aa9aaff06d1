package feed

import (
	"context"
	"slices"
	"time"
)

// News reports whether a feed or a slice has a newer post.
type News struct {
	News bool `json:"news"`
	// Read describes the sources and rounds of the check, as a page without posts.
	Read Page `json:"-"`
}

// News reports whether the first page of reader's feed would now begin with a post that is newer than shown. shown is
// the createdAt of the newest post of a page that reader has. A post of exactly the same time is no news. With a ref,
// News checks the page of [Feed.Slice]. source is one of the sources of a feed; with "", News reads as [Feed.Page] does
// without a cursor. It returns [ErrRef], [ErrSource] or an error of Firestore. You may call it again.
//
// Without a new entry, News costs one read of relations, of a timeline or of a slice. With relations, an instance also
// reads the horizon once a minute. With pull, or with relations if shown is beyond the horizon, News costs a read for
// each query, at most 70, and the list of followed accounts once a minute.
//
// With new entries, it also costs a read for each of them and for their posts, until the reader may see one. News checks
// 31 entries in five rounds, and then reports no news: so deleted posts do not remain news forever.
func (f *Feed) News(ctx context.Context, reader, ref, source string, shown time.Time) (News, error) {
	if ref != "" {
		if err := CheckRef(ref); err != nil {
			return News{}, err
		}
	}
	r, err := f.begin(ctx, scope{reader, ref}, "", source, shown)
	if err != nil {
		return News{}, err
	}
	is, err := r.news(ctx, shown)
	p := r.page
	return News{is, Page{Source: p.Source, Rounds: p.Rounds, Damaged: p.Damaged}}, err
}

// news reports whether a newer entry has a post for the reader. Each round requests twice as many entries as the round
// before: usually there is none, or the first one decides.
func (r *reading) news(ctx context.Context, shown time.Time) (bool, error) {
	for p := &r.page; p.Rounds < maxRounds; {
		found, more, err := r.entries(ctx, 1<<p.Rounds)
		p.Rounds++
		if err != nil {
			return false, err
		}
		// Sources read the zero time as no limit.
		if n := slices.IndexFunc(found, func(e entry) bool { return !e.createdAt.After(shown) }); n >= 0 {
			found, more = found[:n], false
		}
		refs, _ := r.wanted(found, nil, len(found))
		posts, _, err := r.posts(ctx, found, refs, pageBytes)
		if err != nil {
			return false, err
		}
		for _, e := range found {
			wanted := want(e, r.at, nil)
			doc, read := posts[e.post]
			if wanted && !read {
				more = true
				break // the post did not fit
			}
			if wanted && p.add(e, doc, r) {
				return true, nil
			}
			r.at = r.at.after(e, false)
		}
		if !more {
			return false, nil
		}
	}
	return false, nil
}
