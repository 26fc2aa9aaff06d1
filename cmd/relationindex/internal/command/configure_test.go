package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// othersOf has, of each variable that decides what is derived, another value than functions have.
var (
	theirs = schema.Config{
		Capacity: 20, FollowersBytes: 2000, CopiedFields: []string{"text"}, AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"},
		KeepPosts: true, NoOwnPosts: true, Horizon: 10 * time.Hour, PostsFilled: true,
		Feeds: []string{"relations", "items"}, Cap: 100, Expire: 720 * time.Hour, Backfill: 10, KeepOnUnfollow: true, ReaderSettings: true, Idle: 24 * time.Hour, Ranked: true, Counts: true, Notifications: true,
	}
	othersOf = map[string]string{
		"CAPACITY": "30", "TEST_FOLLOWERS_BYTES": "3000", "COPIED_FIELDS": "text,likes", "AUTHOR_FIELDS": "title=authorTitle", "REF_FIELDS": "title=refTitles",
		"KEEP_POSTS": "false", "NO_OWN_POSTS": "false", "HORIZON": "0", "POSTS_FILLED": "false",
		"FEEDS": "days", "BUCKET": "7", "CAP": "200", "EXPIRE": "0", "BACKFILL": "20", "KEEP_ON_UNFOLLOW": "false",
		"SETTINGS": "false", "IDLE": "48h", "RANKED": "false", "COUNTS": "false", "NOTIFICATIONS": "false", "USERS": "people", "POSTS": "notes", "FOLLOWERS": "fans",
	}
)

// Each variable that decides what is derived: a command with another value is refused, and names the variable and both
// values, unless --differ names it. A plain command only prints a note.
func TestProblem(t *testing.T) {
	for _, s := range (schema.Config{}).Settings() {
		if s.Stored != config.Decides {
			continue
		}
		other, ok := othersOf[strings.TrimPrefix(s.Variable, "RELATIONINDEX_")]
		if !ok {
			t.Fatalf("no value of %s", s.Variable)
		}
		_, differ, err := config.Environment{s.Variable: other}.Among(config.Stored(theirs))
		if err != nil || len(differ) != 1 {
			t.Fatalf("%s: %v differ, %v", s.Variable, differ, err)
		}
		problem := func(target Target) (notes string, err error) {
			var out bytes.Buffer
			target.cmd = &cobra.Command{}
			target.cmd.SetErr(&out)
			err = target.problem(differ)
			return out.String(), err
		}
		line := s.Variable + ": the functions run with "
		var usage UsageError
		if notes, err := problem(Target{}); !errors.As(err, &usage) || !strings.Contains(err.Error(), "\n"+line) || !strings.HasSuffix(err.Error(), "--differ "+s.Variable) || notes != "" {
			t.Errorf("%s: %v, and the notes %q", s.Variable, err, notes)
		}
		if notes, err := problem(Target{Plain: true}); err != nil || !strings.HasPrefix(notes, "note: "+line) {
			t.Errorf("%s, of a plain command: %v, and the notes %q", s.Variable, err, notes)
		}
		if notes, err := problem(Target{differ: []string{s.Variable}}); err != nil || notes != "" {
			t.Errorf("%s, named by --differ: %v, and the notes %q", s.Variable, err, notes)
		}
	}
}
