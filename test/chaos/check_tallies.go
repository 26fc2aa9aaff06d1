package chaos

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// countedAlso are the collections of counted documents that clients lacks, and of notifications.
var countedAlso = []string{"requests", "likes", "notifications"}

// Counted counts results at the end of a run: numbers other than 0, notifications, and the times that
// a notification left somebody out. A block or an account's settings are the reason for that.
type Counted struct{ Numbers, Notifications, Spared int }

func (c Counted) String() string {
	return fmt.Sprintf("%d numbers, %d notifications, %d spared", c.Numbers, c.Notifications, c.Spared)
}

// checkTallies compares numbers and notifications with clients' documents, and counts both.
func checkTallies(ctx context.Context, client *firestore.Client, cfg schema.Config, sum *Counted, report func(format string, args ...any)) error {
	if !cfg.Counts {
		return nil
	}
	docs, err := testkit.ReadDocuments(ctx, client, slices.Concat(clients, countedAlso), nil)
	if err != nil {
		return err
	}
	w := worldOf(docs, cfg)
	for path, want := range w.numbers() {
		if got := numbersIn(docs[path]); !maps.Equal(got, want) {
			report("counts of %s are %v, want %v", path, got, want)
		}
		sum.Numbers += len(want)
	}
	want := w.notifications()
	sum.Notifications, sum.Spared = len(want), w.spared
	for path, got := range docs {
		if strings.Contains(path, "/notifications/") && want[path] == nil && got["at"] != nil {
			report("%s is there, and tells of nobody: %v", path, got)
		}
	}
	for path, note := range want {
		got := docs[path]
		if got["at"] == nil {
			report("%s is missing: %v", path, note)
		}
		if difference := note.differs(got); got["at"] != nil && difference != "" {
			report("notification %s: %s", path, difference)
		}
	}
	return nil
}

// numbersIn returns the numbers of a document that are not 0.
func numbersIn(fields map[string]any) map[string]int64 {
	numbers := map[string]int64{}
	counts, _ := fields["counts"].(map[string]any)
	for name, value := range counts {
		n, isNumber := value.(int64)
		if !isNumber {
			n = -1
		}
		if n != 0 {
			numbers[name] = n
		}
	}
	return numbers
}

// differs returns how a stored notification differs; "": it does not.
func (n *notification) differs(got map[string]any) string {
	want := map[string]any{
		"verb": n.verb, "object": n.object, "count": int64(n.count), "actors": values(n.actors),
	}
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[field], want[field]) {
			return fmt.Sprintf("%s is %v, want %v", field, got[field], want[field])
		}
	}
	at, _ := got["at"].(time.Time) // when it grew, by Firestore's clock
	if expires, _ := got["expireAt"].(time.Time); at.IsZero() || at.After(time.Now()) || expires.Sub(at.Add(kept)).Abs() > time.Hour {
		return fmt.Sprintf("it is of %v, and expires at %v", got["at"], got["expireAt"])
	}
	return ""
}

func values(texts []string) []any {
	all := make([]any, len(texts))
	for n, text := range texts {
		all[n] = text
	}
	return all
}
