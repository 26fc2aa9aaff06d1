package sending

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"example.com/relationindex/internal/rates"
)

// daily limits how many posts of an author are brought in a day. nil is no limit. It is safe for concurrent use.
type daily struct {
	rates *rates.Rates
	posts *lru.Cache[string, bool] // by id of a recent post: whether it may be brought
}

func newDaily(most int, now func() time.Time) *daily {
	if most == 0 {
		return nil
	}
	limit, err := rates.New(most, fresh, now)
	if err != nil {
		panic(err) // only for a size that is not the constant above
	}
	posts, err := lru.New[string, bool](rates.Remembered)
	if err != nil {
		panic(err) // likewise
	}
	return &daily{limit, posts}
}

// allows reports whether a post may be brought. It returns the same for each call for one post, while the post is
// remembered.
func (d *daily) allows(author, post string) bool {
	if d == nil {
		return true
	}
	allowed, known := d.posts.Get(post)
	if !known {
		_, wait := d.rates.Begin(author, 1)
		allowed = wait == 0
		d.posts.Add(post, allowed)
	}
	return allowed
}
