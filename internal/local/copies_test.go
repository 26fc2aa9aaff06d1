package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/relations"
)

// Two copies of the system share a database: the same accounts live another story in each at the same time, with jobs and a
// deleted account, and neither copy reads, writes or verifies a document of the other's.
func TestTwoCopiesInOneProject(t *testing.T) {
	m, err := local.Start(t.Context(), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = m.Emulator.Close()
		_ = os.Remove(m.Emulator.LogFile())
	})
	plain, blue := start(t, m, ""), start(t, m, "blue_")
	var both errgroup.Group
	both.Go(func() error { return plain.live(t.Context(), "a", "b", "c", "d", "e", "f", "g") })
	both.Go(func() error { return blue.live(t.Context(), "c", "d", "e", "x", "y") })
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	plain.settle()
	// g's follows are gone with g, b has unfollowed; zoe's posts have gone with zoe.
	plain.wantFeeds(map[string]int{"a": 3, "b": 0, "c": 3, "d": 3, "e": 3, "f": 3, "g": 0, "x": 0, "y": 0})
	blue.wantFeeds(map[string]int{"a": 0, "b": 0, "c": 3, "d": 0, "e": 3, "f": 0, "g": 0, "x": 3, "y": 0})
	plain.wantVerified(5)
	blue.wantVerified(3)
	for _, c := range []*aCopy{plain, blue} {
		jobs := c.under(c.project.Client.Collection(c.cfg.JobsCollection()))
		if len(jobs) < 4 { // the purges, and those of posts
			t.Errorf("copy %q had %d jobs, want 4 or more", c.cfg.Prefix, len(jobs))
		}
	}

	// What happens in one from now on is nothing to the other.
	for _, c := range []struct{ acts, rests *aCopy }{{plain, blue}, {blue, plain}} {
		before, calls := c.rests.documents(), c.rests.project.Meter.Counts()
		if err := c.acts.purge(t.Context(), "alice"); err != nil {
			t.Fatal(err)
		}
		c.acts.settle()
		c.acts.wantFeeds(map[string]int{"c": 0, "e": 0})
		c.acts.wantVerified(0)
		c.acts.wantGone("alice")
		if diff := gocmp.Diff(before, c.rests.documents()); diff != "" {
			t.Errorf("copy %q wrote what is copy %q's (-before +after):\n%s", c.acts.cfg.Prefix, c.rests.cfg.Prefix, diff)
		}
		if after := c.rests.project.Meter.Counts(); after != calls {
			t.Errorf("copy %q did %+v for what happened in copy %q", c.rests.cfg.Prefix, after, c.acts.cfg.Prefix)
		}
	}
	for _, doc := range []string{"users/alice", "blue_users/alice"} {
		if found := plain.named(doc); len(found) > 0 {
			t.Errorf("%s is purged, and there are %q", doc, found)
		}
	}
}

// aCopy is one copy of the system.
type aCopy struct {
	t       *testing.T
	cfg     config.Functions
	names   relations.Collections
	project *local.Project
	index   *relations.Index
}

func start(t *testing.T, m *local.Machine, prefix string) *aCopy {
	t.Helper()
	cfg := config.Functions{Prefix: prefix, Capacity: 2, InlineLimit: 1, Chunk: 2, CopiedFields: []string{"text"}}
	p, err := m.Project(t.Context(), "demo-two-copies", cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	x, err := relations.New(p.Client, chunker.New(p.Client, chunker.Options{Collection: cfg.JobsCollection()}), cfg.RelationsOptions())
	if err != nil {
		t.Fatal(err)
	}
	return &aCopy{t, cfg, cfg.Collections(), p, x}
}

// live writes what clients would: followers of alice, her posts before and after them, an unfollow by the second of them,
// and two accounts, the last follower's and zoe's, that are deleted.
func (c *aCopy) live(ctx context.Context, followers ...string) error {
	users := func(path string) *firestore.DocumentRef { return c.project.Client.Doc(c.names.Users + "/" + path) }
	now := map[string]any{"createdAt": firestore.ServerTimestamp}
	writes := []func() error{}
	set := func(doc *firestore.DocumentRef, data map[string]any) {
		writes = append(writes, func() error { _, err := doc.Set(ctx, data, firestore.MergeAll); return err })
	}
	for _, name := range append([]string{"alice", "zoe"}, followers...) {
		set(users(name), map[string]any{"name": name})
	}
	post := func(id, author string) {
		set(c.project.Client.Doc(c.names.Posts+"/"+id), map[string]any{"userId": author, "createdAt": time.Now(), "text": c.cfg.Prefix + id})
	}
	post("p1", "alice")
	post("z1", "zoe")
	for _, f := range followers {
		set(users("alice/"+c.names.Followers+"/"+f), now)
		set(users("zoe/"+c.names.Followers+"/"+f), now)
	}
	post("p2", "alice")
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	if err := c.idle(ctx); err != nil { // so that the unfollow is one
		return err
	}
	if _, err := users("alice/" + c.names.Followers + "/" + followers[1]).Delete(ctx); err != nil {
		return err
	}
	writes = nil
	post("p3", "alice")
	if err := writes[0](); err != nil {
		return err
	}
	for _, gone := range []string{followers[len(followers)-1], "zoe"} {
		if err := c.purge(ctx, gone); err != nil {
			return err
		}
	}
	return nil
}

func (c *aCopy) purge(ctx context.Context, account string) error {
	_, err := c.project.Client.Doc(c.names.Users + "/" + account).Delete(ctx)
	return err
}

func (c *aCopy) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return c.project.Idle(ctx)
}

func (c *aCopy) settle() {
	c.t.Helper()
	if err := c.idle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// wantFeeds checks how many posts each reader sees, and that their texts are of this copy.
func (c *aCopy) wantFeeds(want map[string]int) {
	c.t.Helper()
	got := map[string]int{}
	for reader := range want {
		docs, err := c.project.Client.Collection(c.names.Relations).Where("followers", "array-contains", reader).
			OrderBy("createdAt", firestore.Desc).Limit(50).Documents(c.t.Context()).GetAll()
		if err != nil {
			c.t.Fatal(err)
		}
		got[reader] = len(docs)
		for _, doc := range docs {
			if text := doc.Data()["text"]; text != c.cfg.Prefix+doc.Data()["postId"].(string) {
				c.t.Errorf("%s in copy %q sees %v", reader, c.cfg.Prefix, text)
			}
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		c.t.Errorf("feeds of copy %q (-want +got):\n%s", c.cfg.Prefix, diff)
	}
}

// wantVerified checks every invariant of this copy, and that it counts no followers but its own.
func (c *aCopy) wantVerified(followers int64) {
	c.t.Helper()
	counts, err := c.index.Verify(c.t.Context(), func(v relations.Violation) { c.t.Errorf("copy %q: %v", c.cfg.Prefix, v) }, nil)
	if err != nil || counts.Followers != followers {
		c.t.Errorf("copy %q: %d followers, want %d: %v", c.cfg.Prefix, counts.Followers, followers, err)
	}
	c.wantGone("zoe")
}

// wantGone checks that no document of this copy names an account.
func (c *aCopy) wantGone(account string) {
	c.t.Helper()
	if err := c.index.Traces(c.t.Context(), account, func(tr relations.Trace) { c.t.Errorf("copy %q: %s is still named by %v", c.cfg.Prefix, account, tr) }, nil); err != nil {
		c.t.Fatal(err)
	}
}

// documents are the update times of all documents of this copy, by path.
func (c *aCopy) documents() map[string]time.Time {
	c.t.Helper()
	all := map[string]time.Time{}
	for _, top := range []string{c.names.Users, c.names.Posts, c.names.Relations, c.cfg.JobsCollection()} {
		maps.Copy(all, c.under(c.project.Client.Collection(top)))
	}
	if len(all) < 5 {
		c.t.Errorf("copy %q has %d documents, and this is about more", c.cfg.Prefix, len(all))
	}
	return all
}

// under are the documents of a collection and of those below it.
func (c *aCopy) under(collection *firestore.CollectionRef) map[string]time.Time {
	c.t.Helper()
	all := map[string]time.Time{}
	refs, err := collection.DocumentRefs(c.t.Context()).GetAll() // those too that are not there, but have others below them
	if err != nil {
		c.t.Fatal(err)
	}
	docs, err := c.project.Client.GetAll(c.t.Context(), refs)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, doc := range docs {
		_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
		if doc.Exists() {
			all[path] = doc.UpdateTime
		}
		below, err := doc.Ref.Collections(c.t.Context()).GetAll()
		if err != nil {
			c.t.Fatal(err)
		}
		for _, collection := range below {
			maps.Copy(all, c.under(collection))
		}
	}
	return all
}

// named are the paths that begin with a document's.
func (c *aCopy) named(path string) (found []string) {
	c.t.Helper()
	collection, id, _ := strings.Cut(path, "/")
	for name := range c.under(c.project.Client.Collection(collection)) {
		if name == fmt.Sprint(collection, "/", id) || strings.HasPrefix(name, path+"/") {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
