package feed

import (
	"context"
	"slices"
	"time"
)

// News says whether a feed or a slice has news.
type News struct {
	News bool `json:"news"`
	// Read says what the answer was read from, as a page without posts.
	Read Page `json:"-"`
}

// News reports whether the first page of reader's feed would now begin with a post whose createdAt there
// is after shown: that of the newest post of a page that reader has. With a ref, it asks for the page of
// [Feed.Slice]. source is one of those of a feed; "": as [Feed.Page] without a cursor. A post of exactly
// the same time is no news. News returns [ErrRef], [ErrSource] or an error of Firestore. You may call it again.
//
// If nothing came, it costs one read of relations, of a timeline and of a slice. Of relations, an instance
// also reads the horizon once a minute. Of pull, and of relations if shown is beyond the horizon, it costs a read for each
// query, at most 70, and the list of those followed once a minute.
//
// Otherwise it also costs what was found, and its posts, until one may be seen. It looks at 31 entries
// in five rounds, and then says that there is no news: so posts that are gone do not stay news for ever.
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

// news reports whether an entry that is newer has a post for the reader. Each round asks for twice as
// many entries as the one before: usually there is none, or the first one decides.
func (r *reading) news(ctx context.Context, shown time.Time) (bool, error) {
	for p := &r.page; p.Rounds < maxRounds; {
		found, more, err := r.entries(ctx, 1<<p.Rounds)
		p.Rounds++
		if err != nil {
			return false, err
		}
		// Sources take the zero time for none.
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
