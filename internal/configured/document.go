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

// Configuration is what [Document] holds. The zero value is that of a database without it.
type Configuration struct {
	Variables map[string]string // see config.Stored
	Deployed  time.Time         // zero: not known
	IdleSince time.Time         // zero: idle readers are not left out, or it is not known
	Gaps      map[string]Gap    // by delivery, of those that are on

	exists  bool
	updated time.Time
	created time.Time // zero: not stored yet
}

// Gap says that documents were written which a delivery has not brought to readers.
type Gap struct {
	Found  time.Time `firestore:"found"` // when it was found, or when the document was imported; it tells gaps apart
	Reason string    `firestore:"reason"`
}

// Exists reports whether functions have ever stored their configuration.
func (c Configuration) Exists() bool { return c.exists }

// Lacking returns what the deliveries lack, a sentence for each gap, in the order of their names.
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

// decode returns of a damaged document that it exists.
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

// writing is how long after the server's time of a write its commit may be. An import has the
// times of the export.
const writing = time.Minute

// lacksAll gives each delivery that is on a gap. A delivery that has one keeps its reason.
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

// deliversOf says of each delivery whether it is on by stored variables.
func deliversOf(variables map[string]string) map[string]bool {
	c := schema.Config{Feeds: config.Feeds(variables)}
	return map[string]bool{config.Relations: config.Delivers(c, config.Relations), config.Timelines: config.Delivers(c, config.Timelines)}
}

func databaseOf(ref *firestore.DocumentRef) string {
	database, _, _ := strings.Cut(ref.Path, "/documents/")
	return database
}
