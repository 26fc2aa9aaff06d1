package social

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// The next release reads the stored jobs of this one: the kind, and the index of a phase.
// If you change a line of this after a release, raise chunker.Schema.
func TestTaskPhasesMatchJobSchema(t *testing.T) {
	const (
		purge = "relations.purge: receipt, timeline, following, followers, index documents, comments, hidden, rates, relations, settings, timelines, " +
			"requests, requests by the account, posts, mentions, groups, likes, timeline again, timelines again, notifications, deliveries, jobs, mark"
		hide   = "timelines.hide: hidden"
		reader = "timelines.reader: hidden, shown"
	)
	for name, c := range map[string]struct {
		opts schema.Config
		want []string
	}{
		"relations": {schema.Config{NoOwnPosts: true}, []string{
			"relations.post: relations",
			"relations.index: posts, stale relations",
			purge,
			"relations.profile: count, posts",
			"comments.delete: comments, likes",
		}},
		"timelines": {schema.Config{Feeds: []string{"items"}}, []string{
			"timelines.post: entries, recipients, followers",
			"timelines.follow: removal, backfill",
			hide,
			reader,
			"relations.index: mending",
			purge,
			"relations.profile: count, posts",
			"comments.delete: comments, likes",
		}},
		"both": {schema.Config{Feeds: []string{"relations", "items"}}, []string{
			"relations.post: relations",
			"relations.index: posts, stale relations",
			"timelines.post: entries, recipients, followers",
			"timelines.follow: removal, backfill",
			hide,
			reader,
			purge,
			"relations.profile: count, posts",
			"comments.delete: comments, likes",
		}},
		"a delivery of the app": {schema.Config{NoOwnPosts: true, Deliveries: []schema.Delivery{{Name: "mail", Bring: nobody}}}, []string{
			"relations.post: relations",
			"relations.index: posts, stale relations",
			"sending.post: recipients, followers",
			purge,
			"relations.profile: count, posts",
			"comments.delete: comments, likes",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(nil, chunker.New(nil, chunker.Options{}), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			var all []chunker.Task
			for _, d := range s.Deliveries {
				all = append(all, d.Tasks()...)
			}
			var got []string
			for _, task := range append(all, s.Accounts.Tasks()...) {
				if !slices.Contains(schema.Kinds, task.Kind) {
					t.Errorf("schema.Kinds lacks %s", task.Kind)
				}
				var phases []string
				for _, p := range task.Phases {
					phases = append(phases, p.Name)
				}
				got = append(got, fmt.Sprintf("%s: %s", task.Kind, strings.Join(phases, ", ")))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func nobody(context.Context, *firestore.Client, *firestore.Transaction, schema.NewPost, []string) error {
	return nil
}
