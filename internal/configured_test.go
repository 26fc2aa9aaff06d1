package internal_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

const earlier, later = "2026-11-25T10:00:00Z", "2026-11-25T11:00:00Z"

// database is one in which functions start.
type database struct {
	*firestore.Client
	t   *testing.T
	log bytes.Buffer
}

func newDatabase(t *testing.T) *database {
	t.Parallel()
	return &database{Client: testkit.Open(t, testkit.ProjectID(t)), t: t}
}

// start starts functions. What they log is in d.log alone.
func (d *database) start(cfg schema.Config) configured.Configuration {
	d.t.Helper()
	d.log.Reset()
	c, err := configured.Start(d.t.Context(), d.Client, cfg, logging.New(&d.log, slog.LevelInfo))
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (d *database) want(variables map[string]string, gaps ...string) configured.Configuration {
	d.t.Helper()
	c, err := configured.Read(d.t.Context(), d.Client)
	if err != nil {
		d.t.Fatal(err)
	}
	if diff := gocmp.Diff(variables, c.Variables, cmpopts.EquateEmpty()); diff != "" {
		d.t.Errorf("variables (-want +got):\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(c.Gaps)); !slices.Equal(got, gaps) {
		d.t.Errorf("gaps of %q, want %q: %q", got, gaps, c.Lacking())
	}
	return c
}

func (d *database) logged(severity, what string) {
	d.t.Helper()
	if text := d.log.String(); severity == "" && text != "" || !strings.Contains(text, severity) || !strings.Contains(text, what) {
		d.t.Errorf("it logged %s, want %s %q", text, severity, what)
	}
}

type variables = map[string]string

// A start costs one read, and writes only changes.
func TestStartWritesOnlyChangedConfiguration(t *testing.T) {
	d := newDatabase(t)
	c, err := configured.Read(t.Context(), d.Client)
	if err != nil || c.Exists() {
		t.Errorf("before the first start: %+v, %v", c, err)
	}
	cfg := schema.Config{Project: "p", Capacity: 10_000, CopiedFields: []string{"text", "likes"}, TombstoneKey: "the-secret-key-of-tombstones", LogLevel: slog.LevelWarn}
	d.start(cfg)
	d.logged("", "")
	stored := config.Stored(cfg)
	d.want(stored)
	for _, secret := range []string{"the-secret", "GOOGLE_CLOUD_PROJECT"} {
		doc, err := configured.Document(d.Client).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		testkit.Texts(doc.Data(), func(s string) {
			if strings.Contains(s, secret) {
				t.Errorf("%q is stored", s)
			}
		})
	}
	calls := map[string]int{}
	counted := testkit.Open(t, projectOf(d), testkit.NewGate(t, func(req any) bool {
		switch req.(type) {
		case *pb.BatchGetDocumentsRequest:
			calls["read"]++
		case *pb.CommitRequest:
			calls["write"]++
		}
		return false
	}).Interceptor())
	if _, err := configured.Start(t.Context(), counted, cfg, slog.Default()); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(map[string]int{"read": 1}, calls); diff != "" {
		t.Errorf("calls of a second start (-want +got):\n%s", diff)
	}
	d.start(schema.Config{Capacity: 500})
	d.logged("WARNING", `RELATIONINDEX_CAPACITY was \"\", is \"500\"`)
	d.want(variables{"RELATIONINDEX_CAPACITY": "500"}, config.Relations) // without copied fields and own posts
}

func projectOf(d *database) string {
	project, _, _ := strings.Cut(strings.TrimPrefix(configured.Document(d.Client).Path, "projects/"), "/")
	return project
}

// Of two deployments, the later one's configuration stays, whoever starts last.
func TestLateStartOfEarlierDeploymentKeepsConfiguration(t *testing.T) {
	d := newDatabase(t)
	d.start(schema.Config{Deployed: later, Capacity: 500})
	d.start(schema.Config{Deployed: earlier, Capacity: 100, Feeds: []string{"relations", "items"}})
	d.logged("WARNING", "earlier deployment")
	d.want(variables{"RELATIONINDEX_CAPACITY": "500"})
	d.start(schema.Config{Deployed: "2026-11-25T12:00:00Z", Capacity: 100}) // back, on purpose
	d.logged("INFO", "another configuration")
	d.want(variables{"RELATIONINDEX_CAPACITY": "100"})
	d.start(schema.Config{Deployed: later, Capacity: 500})
	d.want(variables{"RELATIONINDEX_CAPACITY": "100"})
	// A deployment that changed nothing is a deployment.
	d.start(schema.Config{Deployed: "2026-11-25T14:00:00Z", Capacity: 100})
	d.start(schema.Config{Deployed: "2026-11-25T13:00:00Z", Capacity: 500})
	d.want(variables{"RELATIONINDEX_CAPACITY": "100"})
	d.start(schema.Config{Capacity: 7}) // deployed by hand
	d.logged("WARNING", "another configuration")
	d.want(variables{"RELATIONINDEX_CAPACITY": "7"})
}

// Instances that start at once write once, and agree.
func TestSimultaneousStartsWriteOnce(t *testing.T) {
	d := newDatabase(t)
	for _, cfg := range []schema.Config{{Deployed: earlier}, {Deployed: later, Feeds: []string{"items"}}} {
		var group errgroup.Group
		all := make([]configured.Configuration, 8)
		for n := range all {
			group.Go(func() (err error) {
				all[n], err = configured.Start(context.WithoutCancel(t.Context()), d.Client, cfg, slog.New(slog.DiscardHandler))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if !maps.Equal(c.Gaps, all[0].Gaps) && !c.Gaps[config.Timelines].Found.Equal(all[0].Gaps[config.Timelines].Found) {
				t.Errorf("they found %v and %v", c.Gaps, all[0].Gaps)
			}
		}
	}
	d.want(variables{"RELATIONINDEX_FEEDS": "items"}, config.Timelines)
}

// A delivery that comes on again has a gap until a repair that began later has mended it.
func TestGaps(t *testing.T) {
	d := newDatabase(t)
	both := schema.Config{Feeds: []string{"relations", "items"}}
	d.start(both)
	d.want(config.Stored(both))
	d.start(schema.Config{})
	d.logged("WARNING", "RELATIONINDEX_FEEDS")
	d.want(nil)
	d.start(both)
	d.logged("WARNING", "relationindex repair")
	first := d.want(config.Stored(both), config.Timelines)
	d.start(schema.Config{Feeds: []string{"relations", "items"}, LogLevel: slog.LevelWarn}) // what changes nothing closes none
	d.want(config.Stored(schema.Config{Feeds: []string{"relations", "items"}, LogLevel: slog.LevelWarn}), config.Timelines)
	// While the repair runs, they go off and on again.
	d.start(schema.Config{})
	d.want(nil)
	d.start(schema.Config{Feeds: []string{"relations", "buckets"}})
	if err := configured.Close(t.Context(), d.Client, first.Gaps); err != nil {
		t.Fatal(err)
	}
	second := d.want(config.Stored(schema.Config{Feeds: []string{"relations", "buckets"}}), config.Timelines)
	for range 2 {
		if err := configured.Close(t.Context(), d.Client, second.Gaps); err != nil {
			t.Fatal(err)
		}
		d.want(config.Stored(schema.Config{Feeds: []string{"relations", "buckets"}}))
	}
	d.start(schema.Config{Feeds: []string{"buckets"}})
	d.want(config.Stored(schema.Config{Feeds: []string{"buckets"}}))
	d.start(schema.Config{Feeds: []string{"relations", "buckets"}})
	d.want(config.Stored(schema.Config{Feeds: []string{"relations", "buckets"}}), config.Relations)
}

// An import has the document of another time or database: each delivery may lack something.
func TestImportedDatabaseReportsGaps(t *testing.T) {
	d := newDatabase(t)
	cfg := schema.Config{Feeds: []string{"relations", "items"}}
	d.start(cfg)
	exported, err := configured.Document(d.Client).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	into := &database{Client: testkit.Open(t, testkit.ProjectID(t)), t: t} // another database
	for name, to := range map[string]*database{"another": into, "the same, which was emptied": d} {
		if _, err := configured.Document(to.Client).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := configured.Document(to.Client).Set(t.Context(), exported.Data()); err != nil {
			t.Fatal(err)
		}
		seen := to.want(config.Stored(cfg), config.Relations, config.Timelines) // also before functions start
		to.start(cfg)
		to.logged("WARNING", "imported")
		to.start(cfg)
		to.logged("", "")
		if c := to.want(config.Stored(cfg), config.Relations, config.Timelines); !c.Gaps[config.Relations].Found.Equal(seen.Gaps[config.Relations].Found) {
			t.Errorf("%s: a gap found at %v is another one, of %v", name, seen.Gaps, c.Gaps)
		}
		if err := configured.Close(t.Context(), to.Client, seen.Gaps); err != nil {
			t.Fatal(err)
		}
		to.want(config.Stored(cfg))
	}
	// Over the document, which keeps its create time.
	old := exported.Data()
	old["writtenAt"] = old["writtenAt"].(time.Time).Add(-time.Hour)
	old["created"] = d.created()
	if _, err := configured.Document(d.Client).Set(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	d.want(config.Stored(cfg), config.Relations, config.Timelines)
}

func (d *database) created() time.Time {
	d.t.Helper()
	doc, err := configured.Document(d.Client).Get(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return doc.CreateTime
}

// Idleness counts from when it was turned on, also if its length changes, and anew when it was off.
func TestIdleSince(t *testing.T) {
	d := newDatabase(t)
	idle := func(after time.Duration) time.Time {
		return d.start(schema.Config{Feeds: []string{"relations", "items"}, ReaderSettings: true, Idle: after}).IdleSince
	}
	if since := idle(0); !since.IsZero() {
		t.Errorf("off since %v", since)
	}
	before := time.Now().Add(-time.Minute)
	first := idle(3 * time.Hour)
	if first.Before(before) || time.Until(first) > time.Minute {
		t.Errorf("on since %v", first)
	}
	if again := idle(4 * time.Hour); !again.Equal(first) {
		t.Errorf("on since %v, then since %v", first, again)
	}
	idle(0)
	if anew := idle(3 * time.Hour); !anew.After(first) {
		t.Errorf("on again since %v, before since %v", anew, first)
	}
}

// Functions of another release have stored a variable that these do not know: it goes, and what it meant is not known.
func TestStartDropsVariablesOfAnotherRelease(t *testing.T) {
	d := newDatabase(t)
	d.start(schema.Config{Capacity: 500})
	if _, err := configured.Document(d.Client).Update(t.Context(), []firestore.Update{{Path: "variables.RELATIONINDEX_OLD", Value: "1"}, {Path: "writtenAt", Value: firestore.ServerTimestamp}}); err != nil {
		t.Fatal(err)
	}
	d.start(schema.Config{Capacity: 500})
	d.logged("WARNING", "functions of another release ran before")
	d.want(variables{"RELATIONINDEX_CAPACITY": "500"}, config.Relations)
}

// A configuration that functions did not write is an error for commands. Functions overwrite it at their start.
func TestStartOverwritesDamagedConfiguration(t *testing.T) {
	d := newDatabase(t)
	for _, fields := range []map[string]any{{}, {"variables": 5, "writtenAt": time.Now()}, {"variables": map[string]any{"a": 5}, "writtenAt": time.Now()}, {"variables": map[string]any{}, "writtenAt": time.Now(), "gaps": []string{"x"}}} {
		if _, err := configured.Document(d.Client).Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
		if c, err := configured.Read(t.Context(), d.Client); !errors.Is(err, schema.ErrDamaged) || !c.Exists() {
			t.Errorf("%v: %v", fields, err)
		}
		d.start(schema.Config{Capacity: 7})
		d.logged("WARNING", "damaged")
		d.want(variables{"RELATIONINDEX_CAPACITY": "7"}, config.Relations)
	}
}

// A process that dies at any of its writes leaves the rest to the next.
func TestFirstStartKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	for at := 1; ; at++ {
		d := &database{Client: testkit.Open(t, testkit.ProjectID(t)), t: t}
		death := faults.NewDeath(at)
		_, err := configured.Start(t.Context(), testkit.Open(t, projectOf(d), death.Interceptor()), schema.Config{Capacity: 7}, slog.New(slog.DiscardHandler))
		if !death.Died() {
			if at < 3 {
				t.Errorf("it made %d writes", at-1)
			}
			break
		}
		if err == nil {
			t.Errorf("it died at write %d, and started", at)
		}
		d.start(schema.Config{Capacity: 7})
		d.want(variables{"RELATIONINDEX_CAPACITY": "7"})
		if doc, err := configured.Document(d.Client).Get(t.Context()); err != nil || !doc.Data()["created"].(time.Time).Equal(doc.CreateTime) {
			t.Errorf("write %d: %v, %v", at, doc.Data(), err)
		}
	}
}
