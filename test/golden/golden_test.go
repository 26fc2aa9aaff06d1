//go:build long

package golden

import (
	"regexp"
	"testing"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/program"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// operations is how many operations each form has, at least.
const operations = 200

// forms are the configurations of feeds. All have numbers, notifications and readers' settings where the form allows it.
// Documents are small, so that little data makes many of them, jobs, and pages of jobs.
var forms = map[string]schema.Config{
	"relations": {},
	"horizon":   {Horizon: 10 * 24 * time.Hour},
	"items":     {Feeds: schema.FeedsOf(schema.LayoutItems, true), Ranked: true, Backfill: 1000},
	"buckets":   {Feeds: schema.FeedsOf(schema.LayoutBuckets, false), Bucket: 3, Backfill: 1000},
	"ring":      {Feeds: schema.FeedsOf(schema.LayoutBuckets, false), Bucket: 1, Cap: 3, Backfill: 3},
	"days":      {Feeds: schema.FeedsOf(schema.LayoutDays, true)},
}

func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	for name, cfg := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg = formOf(cfg)
			app := testkit.NewApp(t, cfg)
			began := time.Now()
			epoch := began.UTC().Truncate(24 * time.Hour).Add(-12 * time.Hour)
			work := clients.Workload{
				Seed: 1, Ops: operations, Users: 24, Posts: 8, Epoch: epoch, Blocks: true, Tallies: true,
				Renames: cfg.Timeline() != "", Decides: cfg.ReaderSettings, Comments: cfg.Ranked,
			}
			if err := clients.CreateAccounts(t.Context(), app.Client, work.Users); err != nil {
				t.Fatal(err)
			}
			app.Settle()
			for n, op := range work.Operations() {
				if op.Kind == clients.Forbidden {
					continue
				}
				// The time of each write is of the sequence, not of the run.
				op.Ahead, op.At = 0, atAnyHour(epoch, op.At)
				if op.Kind == clients.Follow && op.At.IsZero() {
					op.At = epoch.Add(time.Duration(n) * time.Second)
				}
				if err := op.Apply(t.Context(), app.Client); err != nil {
					t.Fatalf("operation %d, %v: %v", n, op, err)
				}
				app.Settle()
			}
			program.Golden(t, "testdata/"+name+".txt", text(t, app.Client, times{epoch: epoch, began: began, ended: time.Now(), project: regexp.MustCompile(app.ID)}))
		})
	}
}

// atAnyHour moves a time that would, by the hour at which the test runs, be before or after the horizon or the days that
// readers keep: a time 5 to 12 days old becomes a week older, and one of more than 19 days 5 days younger.
func atAnyHour(epoch, at time.Time) time.Time {
	switch days := epoch.Sub(at) / (24 * time.Hour); {
	case days >= 19 && !at.IsZero():
		return at.AddDate(0, 0, 5)
	case days >= 5 && days < 12:
		return at.AddDate(0, 0, -7)
	}
	return at
}

// formOf returns a form with what all forms have.
func formOf(cfg schema.Config) schema.Config {
	cfg.Capacity, cfg.InlineLimit, cfg.Chunk, cfg.Range = 6, 3, 3, 4
	cfg.CopiedFields = []string{"text", "mood"}
	cfg.Counts, cfg.Notifications = true, true
	if cfg.Timeline() != "" {
		cfg.ReaderSettings, cfg.Idle = true, 48*time.Hour
		cfg.AuthorFields, cfg.CopiedFields = []string{"name=authorName"}, append(cfg.CopiedFields, "authorName")
	}
	return cfg
}
