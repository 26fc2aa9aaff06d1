package weather

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// loadBurst has an author with twenty posts, whom many follow within a minute while they post. One of a hundred followers asks:
// the emulator sorts all entries of an index for each query.
func loadBurst(s *system) func(context.Context) error {
	star := &author{id: "star", first: 40_000_000, all: 10, each: schema.DefaultCapacity, asking: 1}
	s.load(star)
	s.loadPosts(star, newest)
	d := min(*window, time.Minute)
	return func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error {
			return paced(ctx, float64(*burst)/60, d, func(ctx context.Context, n int) error {
				return s.follow(ctx, "follows of a popular author", star, n%100 == 0)
			})
		})
		group.Go(func() error {
			return paced(ctx, 0.2, d, func(ctx context.Context, _ int) error {
				return s.post(ctx, "posts of a popular author", star)
			})
		})
		return group.Wait()
	}
}

const withJob = "posts with a job"

// loadStorm has an author or a group whose posts are brought by jobs: they have one index document more than a handler writes.
// Readers ask for one of twenty posts.
func loadStorm(id string) func(*system) func(context.Context) error {
	return func(s *system) func(context.Context) error {
		silent := author{id: id, first: 50_000_000, all: 10 * (schema.DefaultInlineLimit + 1), each: 10}
		s.load(&silent)
		asked := silent
		asked.asking = 1
		return func(ctx context.Context) error {
			group, ctx := errgroup.WithContext(ctx)
			group.SetLimit(50)
			for n := range *storm {
				a := &silent
				if n%20 == 0 {
					a = &asked
				}
				group.Go(func() error { return s.post(ctx, withJob, a) })
			}
			return group.Wait()
		}
	}
}

// loadLeaving has accounts that follow the five next ones, and have two posts, and are deleted at once.
func loadLeaving(s *system) func(context.Context) error {
	account := func(n int) string { return name("leaving", n%*leaving) }
	group, ctx := errgroup.WithContext(s.tb.Context())
	group.SetLimit(16)
	for n := range *leaving {
		group.Go(func() error {
			_, err := s.Client().Doc("users/"+account(n)).Set(ctx, map[string]any{"displayName": account(n)})
			for next := n + 1; err == nil && next <= n+5; next++ {
				_, err = s.Client().Doc("users/"+account(next)+"/followers/"+account(n)).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
			}
			for range othersPosts {
				if err == nil {
					err = s.writePost(ctx, s.Client(), s.newPost(), account(n), account(n), "of one who leaves")
				}
			}
			return err
		})
	}
	must(s.tb, group.Wait())
	return func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(50)
		for n := range *leaving {
			group.Go(func() error {
				return again(ctx, func(ctx context.Context) error {
					_, err := s.clients.Doc("users/" + account(n)).Delete(ctx)
					return err
				})
			})
		}
		return group.Wait()
	}
}

// poisoned is an account whom others follow, once a second, when something about it is broken. Nobody is required to get
// anything of it.
func (s *system) poisoned(ctx context.Context, id string, post string) error {
	return paced(ctx, 1, *window, func(ctx context.Context, n int) error {
		return again(ctx, func(ctx context.Context) error {
			if n%2 == 0 {
				return s.writePost(ctx, s.clients, s.newPost(), id, id, post)
			}
			_, err := s.clients.Doc(fmt.Sprintf("users/%s/followers/%s", id, name("fan", n))).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
			return err
		})
	})
}

// rejected has an index document just below 1 MiB. A relation has the same followers and the author's id twice, which is long:
// it is above, also without copied fields.
func rejected() *author {
	return &author{id: "rejected" + strings.Repeat("x", 292), first: 60_000_000, all: 1_000, each: 1_000, pad: 1_020}
}

// loadRejected has posts of which Firestore takes no relation.
func loadRejected(s *system) func(context.Context) error {
	a := rejected()
	s.load(a)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, "a text") }
}

// loadDamaged has an index document whose followers are a text.
func loadDamaged(s *system) func(context.Context) error {
	a := &author{id: "damaged", first: 61_000_000, all: 10, each: schema.DefaultCapacity}
	s.load(a)
	_, err := s.Client().Doc("users/"+a.id+"/"+names.FollowersIndex+"/00001").Update(s.tb.Context(), []firestore.Update{{Path: "followers", Value: "damaged"}})
	must(s.tb, err)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, "a text") }
}

// loadOversized has posts whose events production does not deliver: they are above 512 KiB.
func loadOversized(s *system) func(context.Context) error {
	a := &author{id: "oversized", first: 62_000_000, all: 10, each: schema.DefaultCapacity}
	s.load(a)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, strings.Repeat("a", 600<<10)) }
}

// loadBuilding has all indexes of relations build for a minute.
func loadBuilding(s *system) func(context.Context) error {
	return func(context.Context) error {
		for _, x := range s.Weather().Indexes() {
			if x.Group == names.Relations {
				s.Weather().Build(x, time.Minute)
			}
		}
		return nil
	}
}
