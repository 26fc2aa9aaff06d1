package sending

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"example.com/relationindex/internal/rates"
)

// daily limits how many posts of an author are brought in a day. nil is no limit. It is safe for concurrent use.
type daily struct {
	rates *rates.Rates
	posts *lru.Cache[string, bool] // the posts that were asked for last: may they be brought?
}

func newDaily(most int, now func() time.Time) *daily {
	if most == 0 {
		return nil
	}
	limit, err := rates.New(most, fresh, now)
	if err != nil {
		panic(err) // of a size that is no constant
	}
	posts, err := lru.New[string, bool](rates.Remembered)
	if err != nil {
		panic(err) // likewise
	}
	return &daily{limit, posts}
}

// allows reports whether a post may be brought. It says the same each time that it is asked of a post.
func (d *daily) allows(author, post string) bool {
	if d == nil {
		return true
	}
	allowed, known := d.posts.Get(post)
	if !known {
		allowed = d.rates.Take(author) == 0
		d.posts.Add(post, allowed)
	}
	return allowed
}
