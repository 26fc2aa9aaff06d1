package configured

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Document returns _settings/functions.
func Document(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.SystemSettings).Doc("functions")
}

// Configuration is the content of [Document]. The zero value stands for a database without the document.
type Configuration struct {
	Variables map[string]string // see config.Stored
	Deployed  time.Time         // zero: not known
	IdleSince time.Time         // zero: idle readers are not left out, or the time is unknown
	Gaps      map[string]Gap    // by delivery, only deliveries that are on

	exists  bool
	updated time.Time
	created time.Time // zero: not stored yet
}

// Gap records that a delivery has not brought all written documents to readers.
type Gap struct {
	Found  time.Time `firestore:"found"` // when it was found, or when the document was imported; identifies the gap
	Reason string    `firestore:"reason"`
}

// Exists reports whether functions have ever stored their configuration.
func (c Configuration) Exists() bool { return c.exists }

// Lacking returns a sentence for each delivery's gap, in the order of the deliveries' names.
func (c Configuration) Lacking() (all []string) {
	for _, delivery := range slices.Sorted(maps.Keys(c.Gaps)) {
		gap := c.Gaps[delivery]
		all = append(all, fmt.Sprintf("%s may lack posts and have others since before %s: %s", delivery, gap.Found.UTC().Format(time.RFC3339), gap.Reason))
	}
	return all
}

// Read reads the configuration. It costs a read. The error wraps [schema.ErrDamaged] if the
// document was not written by functions.
func Read(ctx context.Context, client *firestore.Client) (Configuration, error) {
	c, _, err := read(ctx, client)
	return c, err
}

// read also returns the server's time.
func read(ctx context.Context, client *firestore.Client) (Configuration, time.Time, error) {
	docs, err := client.GetAll(ctx, []*firestore.DocumentRef{Document(client)})
	if err != nil {
		return Configuration{}, time.Time{}, fmt.Errorf("configuration: %w", err)
	}
	c, err := decode(docs[0])
	return c, docs[0].ReadTime, err
}

// decode decodes the document. For a damaged document, it returns a Configuration that exists.
func decode(snap *firestore.DocumentSnapshot) (Configuration, error) {
	if !snap.Exists() {
		return Configuration{}, nil
	}
	c := Configuration{exists: true, updated: snap.UpdateTime}
	var has struct {
		Variables map[string]string `firestore:"variables"`
		Deployed  time.Time         `firestore:"deployed"`
		IdleSince time.Time         `firestore:"idleSince"`
		Gaps      map[string]Gap    `firestore:"gaps"`
		Database  string            `firestore:"database"`
		Created   time.Time         `firestore:"created"`
		WrittenAt time.Time         `firestore:"writtenAt"`
	}
	err := snap.DataTo(&has)
	if err == nil && (has.Variables == nil || has.WrittenAt.IsZero()) {
		err = fmt.Errorf("no variables, or no writtenAt")
	}
	if err != nil {
		return c, &schema.Damaged{Path: snap.Ref.Path, Updated: snap.UpdateTime, Cause: err}
	}
	c.Variables, c.Deployed, c.IdleSince, c.Gaps, c.created = has.Variables, has.Deployed, has.IdleSince, has.Gaps, has.Created
	if has.Database != databaseOf(snap.Ref) || !has.Created.IsZero() && !has.Created.Equal(snap.CreateTime) || snap.UpdateTime.Sub(has.WrittenAt).Abs() > writing {
		c.lacksAll(snap.UpdateTime, "the database was imported or restored")
		c.created = time.Time{}
	}
	return c, nil
}

// writing is the longest time between the server's time in a write and the commit. An import keeps the times
// of the export.
const writing = time.Minute

// lacksAll gives a gap to each delivery that is on. A delivery that already has a gap keeps its reason.
func (c *Configuration) lacksAll(found time.Time, reason string) {
	gaps := map[string]Gap{}
	for delivery, on := range deliversOf(c.Variables) {
		if on {
			gaps[delivery] = Gap{found, reason}
			if had, ok := c.Gaps[delivery]; ok {
				gaps[delivery] = Gap{found, had.Reason}
			}
		}
	}
	c.Gaps = gaps
}

// deliversOf returns for each delivery whether the stored variables turn it on.
func deliversOf(variables map[string]string) map[string]bool {
	c := schema.Config{Feeds: config.Feeds(variables)}
	return map[string]bool{config.Relations: config.Delivers(c, config.Relations), config.Timelines: config.Delivers(c, config.Timelines)}
}

func databaseOf(ref *firestore.DocumentRef) string {
	database, _, _ := strings.Cut(ref.Path, "/documents/")
	return database
}
