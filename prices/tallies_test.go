package prices_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// The formulas are the measured cost of likes, comments and follows, with numbers and notifications.
func TestFormulasOfTallies(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]prices.Tallied{
		"numbers": {Counts: true}, "notifications": {Notifications: true}, "both": {Counts: true, Notifications: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := schema.Config{NoOwnPosts: true, Counts: on.Counts, Notifications: on.Notifications}
			a := newApp(t, cfg)
			for _, u := range []string{"author", "f0", "f1", "f2"} {
				a.Profile(u, map[string]any{"name": u})
			}
			a.Post("p", "author", day)
			a.Follow("f0", "author")
			a.Settle()
			write := func(path string, fields map[string]any) func() {
				return func() { a.Must(a.Client.Doc(path).Set(t.Context(), fields)) }
			}
			x := formulas(cfg, 0)
			for n := 1; n <= 2; n++ {
				who := fmt.Sprint("f", n)
				on.Told, on.New = n, n == 1
				a.wantCost("a like", on.Like(), oneWrite, write("posts/p/likes/"+who, map[string]any{"userId": who, "createdAt": time.Now()}))
				a.wantCost("a comment", on.Comment(), oneWrite, write("posts/p/comments/"+who, map[string]any{"userId": who, "thread": "author/author", "createdAt": time.Now()}))
				on.Told, on.New = n+1, false
				a.wantCost("a follow", x.Follow(1).Plus(on.Follow()), oneWrite, func() { a.Follow(who, "author") })
			}
		})
	}
}
