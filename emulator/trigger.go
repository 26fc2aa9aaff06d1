package emulator

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Trigger connects the changes of some documents to one function.
type Trigger struct {
	// Name is unique in its database: letters, digits, ".", "_" and "-".
	Name string

	// Database is the id of the database whose documents they are; "" is (default).
	Database string

	// EventType is what happened: "google.cloud.firestore.document.v1." and created, updated, deleted or written,
	// each also with ".withAuthContext".
	EventType string

	// Document is the pattern of the documents: "users/{userId}". A wildcard stands for one segment, "{path=**}" for
	// several.
	Document string

	// URL is where the function takes its events by POST, "http://127.0.0.1:8081/".
	URL string

	// Concurrency is how many deliveries may be at the function at once: 0 is DefaultConcurrency, at most 1,000.
	Concurrency int

	// Timeout is the longest a delivery may take, and fails after; 0 is DefaultTimeout.
	Timeout time.Duration
}

// The defaults of Trigger.
const (
	DefaultConcurrency = 80 // Cloud Run's for one instance; a gen2 function takes 1 on each of many, unless deployed otherwise
	DefaultTimeout     = 60 * time.Second
)

// maxConcurrency is Cloud Run's limit for one instance.
const maxConcurrency = 1000

var (
	triggerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	databaseID  = regexp.MustCompile(`^([a-z][a-z0-9-]*)?$`)
	eventTypes  = []string{
		"google.cloud.firestore.document.v1.created",
		"google.cloud.firestore.document.v1.updated",
		"google.cloud.firestore.document.v1.deleted",
		"google.cloud.firestore.document.v1.written",
	}
)

// Validate returns every rule that t breaks, joined; each error names the field, its value and the rule.
// [Broker.Register] calls it.
func (t Trigger) Validate() error {
	var errs []error
	rule := func(ok bool, field string, value any, rule string) {
		if !ok {
			errs = append(errs, fmt.Errorf("trigger %q: %s = %q: %s", t.Name, field, fmt.Sprint(value), rule))
		}
	}
	rule(triggerName.MatchString(t.Name), "Name", t.Name, "must be letters, digits, dots, dashes and underscores")
	rule(databaseID.MatchString(t.Database), "Database", t.Database, "must be the id of a database, or empty for (default)")
	rule(slices.Contains(eventTypes, strings.TrimSuffix(t.EventType, ".withAuthContext")), "EventType", t.EventType,
		"must be google.cloud.firestore.document.v1.created, updated, deleted or written, or one of them with .withAuthContext")
	rule(documentPattern(t.Document), "Document", t.Document, "must be the path of a document, such as users/{userId}")
	u, err := url.Parse(t.URL)
	rule(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", "URL", t.URL, "must be an http or https URL")
	rule(t.Concurrency >= 0 && t.Concurrency <= maxConcurrency, "Concurrency", t.Concurrency, "must be 0 (80) to 1000")
	rule(t.Timeout >= 0, "Timeout", t.Timeout, "must not be negative")
	return errors.Join(errs...)
}

// documentPattern says that p could name a document: collection and document in turn, unless a wildcard stands for
// several segments.
func documentPattern(p string) bool {
	segments := strings.Split(p, "/")
	return !slices.Contains(segments, "") && (len(segments)%2 == 0 || strings.Contains(p, "=**}"))
}

func (t Trigger) withDefaults() Trigger {
	if t.Concurrency == 0 {
		t.Concurrency = DefaultConcurrency
	}
	if t.Timeout == 0 {
		t.Timeout = DefaultTimeout
	}
	return t
}

// defaultDatabase is the id that the zero value of Trigger.Database stands for.
const defaultDatabase = "(default)"

// Name is how the [Broker]'s methods, [Options.Busy] and [NotIdleError] name a database: by its project's id, and one that
// is not the project's (default) with its own id behind that: "demo-a/blue". "" and "(default)" are the same database.
func Name(project, database string) string {
	if database == "" || database == defaultDatabase {
		return project
	}
	return project + "/" + database
}

// id is the trigger's at the emulator, which has one list of them for all databases of a project: "onUser@blue".
func (t Trigger) id() string {
	if t.Database == "" {
		return t.Name
	}
	return t.Name + "@" + t.Database
}
