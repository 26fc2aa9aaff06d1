package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// hostile is what one account does in an hour to make the functions work.
type hostile struct {
	functions schema.Config
	before    func(b *testing.B, p *local.Project)
	acts      func(b *testing.B, p *local.Project)
}

// together writes documents in commits of at most 500.
func together(b *testing.B, p *local.Project, n int, document func(n int) (path string, fields map[string]any)) {
	b.Helper()
	for from := 0; from < n; from += 500 {
		err := p.Client.RunTransaction(b.Context(), func(_ context.Context, tx *firestore.Transaction) error {
			for i := from; i < min(n, from+500); i++ {
				path, fields := document(i)
				if err := tx.Set(p.Client.Doc(path), fields); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func post(author, audience string, to ...string) map[string]any {
	fields := map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": time.Now()}
	if len(to) > 0 {
		fields["to"] = to
	}
	return fields
}

// hostiles are the cases. The author eve has 10 followers, and the reader eve follows 100 authors, each with a post.
var hostiles = map[string]hostile{
	"20 posts that name 2,000 people": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, ReaderSettings: true},
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 20, func(n int) (string, map[string]any) {
				var to []string
				for i := range 100 {
					to = append(to, fmt.Sprintf("invented-%02d-%02d", n, i))
				}
				return fmt.Sprintf("posts/p%02d", n), post("eve", "", to...)
			})
		},
	},
	"1,500 posts": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}},
		before:    ten,
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 1500, func(n int) (string, map[string]any) { return fmt.Sprintf("posts/p%04d", n), post("eve", "eve") })
		},
	},
	"500 changes of a kind": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}}, before: ten,
		acts: toggled("kind", "a", "b"),
	},
	"500 times hidden and shown": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}}, before: ten,
		acts: toggled("hidden", true, false),
	},
	"500 times other recipients": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}}, before: ten,
		acts: toggled("to", hundredNames("x"), hundredNames("y")),
	},
	"50 times an author followed who has 120 posts": {
		functions: schema.Config{NoOwnPosts: true},
		before: func(b *testing.B, p *local.Project) {
			together(b, p, 120, func(n int) (string, map[string]any) { return fmt.Sprintf("posts/p%04d", n), post("ada", "ada") })
		},
		acts: func(b *testing.B, p *local.Project) {
			for range 50 {
				write(b, p.Client, "users/ada/followers/eve", map[string]any{"createdAt": firestore.ServerTimestamp})
				settled(b, p)
				if _, err := p.Client.Doc("users/ada/followers/eve").Delete(b.Context()); err != nil {
					b.Fatal(err)
				}
				settled(b, p)
			}
		},
	},
	"300 posts to a group of 20 index documents": {
		functions: schema.Config{NoOwnPosts: true, Capacity: 10},
		before:    func(b *testing.B, p *local.Project) { follows(b, p.Client, "g_open", 200, 64) },
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 300, func(n int) (string, map[string]any) { return fmt.Sprintf("posts/p%03d", n), post("eve", "g_open") })
		},
	},
	"300 comments on a post to nobody": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true},
		before: func(b *testing.B, p *local.Project) {
			ten(b, p)
			write(b, p.Client, "posts/p", post("eve", "", "eve"))
		},
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 300, func(n int) (string, map[string]any) {
				return fmt.Sprintf("posts/p/comments/c%03d", n), map[string]any{
					"userId": "eve", "audience": "eve", "thread": fmt.Sprintf("t%d", n), "text": "x", "createdAt": time.Now(),
				}
			})
		},
	},
	"likes, 300 and taken back": {
		functions: tallied, before: ada,
		acts: func(b *testing.B, p *local.Project) {
			like := p.Client.Doc("posts/p/likes/eve")
			for range 300 {
				write(b, p.Client, "posts/p/likes/eve", map[string]any{"userId": "eve", "postId": "p", "createdAt": firestore.ServerTimestamp})
				if _, err := like.Delete(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		},
	},
	"likes of 300 posts": {
		functions: tallied,
		before: func(b *testing.B, p *local.Project) {
			ada(b, p)
			together(b, p, 300, func(n int) (string, map[string]any) { return fmt.Sprintf("posts/p%03d", n), post("ada", "ada") })
		},
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 300, func(n int) (string, map[string]any) {
				id := fmt.Sprintf("p%03d", n)
				return "posts/" + id + "/likes/eve", map[string]any{"userId": "eve", "postId": id, "createdAt": firestore.ServerTimestamp}
			})
		},
	},
	"comments, 300 on a post": {
		functions: tallied, before: ada,
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 300, func(n int) (string, map[string]any) {
				return fmt.Sprintf("posts/p/comments/c%03d", n), map[string]any{
					"userId": "eve", "thread": "ada/ada", "text": "x", "createdAt": firestore.ServerTimestamp,
				}
			})
		},
	},
	"15 times hidden and shown, a post that names 100": {
		functions: schema.Config{NoOwnPosts: true, Counts: true, Notifications: true, ReaderSettings: true},
		before: func(b *testing.B, p *local.Project) {
			for _, u := range hundredNames("x") {
				write(b, p.Client, "users/"+u, map[string]any{"name": u})
			}
			write(b, p.Client, "posts/p", post("eve", "eve", hundredNames("x")...))
		},
		acts: func(b *testing.B, p *local.Project) {
			for n := range 30 {
				if _, err := p.Client.Doc("posts/p").Update(b.Context(), []firestore.Update{{Path: "hidden", Value: n%2 == 0}}); err != nil {
					b.Fatal(err)
				}
				settled(b, p)
			}
		},
	},
	"100 times shown and not": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true, Backfill: 10},
		before: func(b *testing.B, p *local.Project) {
			together(b, p, 100, func(n int) (string, map[string]any) {
				a := fmt.Sprintf("a%02d", n)
				return "posts/of-" + a, post(a, a)
			})
			settled(b, p)
			together(b, p, 100, func(n int) (string, map[string]any) {
				return fmt.Sprintf("users/a%02d/followers/eve", n), map[string]any{"createdAt": firestore.ServerTimestamp}
			})
		},
		acts: func(b *testing.B, p *local.Project) {
			for n := range 100 {
				write(b, p.Client, "users/eve/settings/feed", map[string]any{"hide": [][]string{{"*/*"}, {}}[n%2]})
				if n < 10 {
					settled(b, p)
				}
			}
		},
	},
	"20 posts of ada, hidden by eve": {
		functions: schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true},
		before: func(b *testing.B, p *local.Project) {
			follows(b, p.Client, "ada", 100, 64)
			together(b, p, 20, func(n int) (string, map[string]any) {
				return fmt.Sprintf("users/eve/hidden/p%02d", n), map[string]any{"createdAt": firestore.ServerTimestamp}
			})
		},
		acts: func(b *testing.B, p *local.Project) {
			together(b, p, 20, func(n int) (string, map[string]any) { return fmt.Sprintf("posts/p%02d", n), post("ada", "ada") })
		},
	},
}

// tallied has numbers and notifications.
var tallied = schema.Config{NoOwnPosts: true, Counts: true, Notifications: true}

// ada is the author of a post, whom notifications tell.
func ada(b *testing.B, p *local.Project) {
	b.Helper()
	write(b, p.Client, "users/ada", map[string]any{"name": "ada"})
	write(b, p.Client, "posts/p", post("ada", "ada"))
}

// ten has eve followed by ten people.
func ten(b *testing.B, p *local.Project) { follows(b, p.Client, "eve", 10, 64) }

func hundredNames(with string) (names []string) {
	for n := range 100 {
		names = append(names, fmt.Sprint(with, n))
	}
	return names
}

// toggled gives a field of a post one of two values 500 times.
func toggled(field string, values ...any) func(b *testing.B, p *local.Project) {
	return func(b *testing.B, p *local.Project) {
		write(b, p.Client, "posts/p", post("eve", "eve"))
		for n := range 500 {
			if _, err := p.Client.Doc("posts/p").Update(b.Context(), []firestore.Update{{Path: field, Value: values[n%2]}}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// settled waits until no event is under way, and no job may run now, with Sweep meanwhile.
func settled(b *testing.B, p *local.Project) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	go func() { _ = p.Idle(ctx) }()
	name := emulator.Name(p.ID, "")
	for quiet := 0; quiet < 20; {
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // between two looks
		s := testkit.Machine(b).Emulator.Broker().Stats(name)
		due, err := p.Client.Collection("_functions").Where("state", "in", []string{"queued", "running"}).Documents(b.Context()).GetAll()
		if err != nil {
			b.Fatal(err)
		}
		if quiet++; s.Queued+s.InFlight+s.Waiting > 0 || isAnyDue(due) {
			quiet = 0
		}
	}
}

// isAnyDue reports whether one of the jobs begins before a minute is over.
func isAnyDue(jobs []*firestore.DocumentSnapshot) bool {
	for _, job := range jobs {
		at, _ := job.Data()["at"].(time.Time)
		if wake, ok := job.Data()["wakeAt"].(time.Time); !ok || !wake.Equal(at) {
			return true
		}
	}
	return false
}

// BenchmarkHostile is what one account has the functions do in its first hour, without a bound and with the one that is
// on in production.
func BenchmarkHostile(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostiles)) {
		h := hostiles[name]
		for _, hour := range []int{0, schema.DefaultAccountHour} {
			b.Run(fmt.Sprintf("%s/hour=%d", name, hour), func(b *testing.B) {
				for b.Loop() {
					cfg := h.functions
					cfg.AccountHour = hour
					p := project(b, cfg)
					if h.before != nil {
						h.before(b, p)
						settled(b, p)
					}
					used := p.Meter.Counts()
					h.acts(b, p)
					settled(b, p)
					used = p.Meter.Counts().Minus(used)
					b.ReportMetric(float64(used.Reads), "reads")
					b.ReportMetric(float64(used.Writes+used.Deletes), "writes")
					b.ReportMetric(0, "ns/op")
				}
			})
		}
	}
}
