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

// loadBurst loads an author with twenty posts. Many accounts follow the author within a minute while the author posts. One of
// a hundred followers asks: the emulator sorts all entries of an index for each query.
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

// stormy makes the jobs of a storm small: the emulator cannot carry 500 that write a hundred relations each.
var stormy = schema.Config{NoOwnPosts: true, InlineLimit: 10}

// loadStorm loads an author or a group whose posts need jobs: they have one index document more than a handler writes. One
// reader asks for each twentieth post.
func loadStorm(id string) func(*system) func(context.Context) error {
	return func(s *system) func(context.Context) error {
		silent := author{id: id, first: 50_000_000, all: 10 * (stormy.InlineLimit + 1), each: 10}
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

// loadLeaving loads accounts that follow the next five and have two posts each. All are deleted at once.
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
					err = s.writePost(ctx, s.Client(), s.newPost(), account(n), account(n), "by a deleted account")
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
				return retry(ctx, func(ctx context.Context) error {
					_, err := s.clients.Doc("users/" + account(n)).Delete(ctx)
					return err
				})
			})
		}
		return group.Wait()
	}
}

// poisoned alternates posts by an account and follows of it, one write a second, while something about the account is broken.
// No reader has to find them.
func (s *system) poisoned(ctx context.Context, id string, post string) error {
	return paced(ctx, 1, *window, func(ctx context.Context, n int) error {
		return retry(ctx, func(ctx context.Context) error {
			if n%2 == 0 {
				return s.writePost(ctx, s.clients, s.newPost(), id, id, post)
			}
			_, err := s.clients.Doc(fmt.Sprintf("users/%s/followers/%s", id, name("fan", n))).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
			return err
		})
	})
}

// rejected returns an author whose index document is just below 1 MiB. A relation has the same followers, and twice the author's
// id, which is long: so it is above 1 MiB, also without copied fields.
func rejected() *author {
	return &author{id: "rejected" + strings.Repeat("x", 292), first: 60_000_000, all: 1_000, each: 1_000, pad: 1_020}
}

// loadRejected loads an author whose relations Firestore rejects.
func loadRejected(s *system) func(context.Context) error {
	a := rejected()
	s.load(a)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, "a text") }
}

// loadDamaged loads an author with an index document whose followers are a text.
func loadDamaged(s *system) func(context.Context) error {
	a := &author{id: "damaged", first: 61_000_000, all: 10, each: schema.DefaultCapacity}
	s.load(a)
	_, err := s.Client().Doc("users/"+a.id+"/"+names.FollowersIndex+"/00001").Update(s.tb.Context(), []firestore.Update{{Path: "followers", Value: "damaged"}})
	must(s.tb, err)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, "a text") }
}

// loadOversized loads an author of posts above 512 KiB, whose events production does not deliver.
func loadOversized(s *system) func(context.Context) error {
	a := &author{id: "oversized", first: 62_000_000, all: 10, each: schema.DefaultCapacity}
	s.load(a)
	return func(ctx context.Context) error { return s.poisoned(ctx, a.id, strings.Repeat("a", 600<<10)) }
}

// loadBuilding makes all indexes of relations build for a minute.
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
