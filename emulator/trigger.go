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

// Trigger delivers the changes of matching documents to one function.
type Trigger struct {
	// Name is unique in its database: letters, digits, ".", "_" and "-".
	Name string

	// Database is the id of the documents' database; "": (default).
	Database string

	// EventType is "google.cloud.firestore.document.v1." and created, updated, deleted or
	// written, with or without ".withAuthContext".
	EventType string

	// Document is the pattern of the documents, such as "users/{userId}". A wildcard
	// matches one segment, "{path=**}" several.
	Document string

	// URL receives the events by POST, such as "http://127.0.0.1:8081/".
	URL string

	// Concurrency is the most deliveries at once, at most 1,000; 0: DefaultConcurrency.
	Concurrency int

	// Timeout is the time after which a delivery fails; 0: DefaultTimeout.
	Timeout time.Duration
}

// The defaults of Trigger.
const (
	DefaultConcurrency = 80 // Cloud Run's default for an instance; a gen2 function's is 1
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

// Validate joins an error for each rule that t breaks. Each names the field, the value and
// the rule. [Broker.Register] calls it.
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

// documentPattern reports whether p can match a document: it has an even number of
// segments, or a wildcard for several.
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

// defaultDatabase is the database of an empty Trigger.Database.
const defaultDatabase = "(default)"

// Name returns the name of a database in this package: "demo-a" for the (default)
// database of a project, "demo-a/blue" for another. "" and "(default)" are the same.
func Name(project, database string) string {
	if database == "" || database == defaultDatabase {
		return project
	}
	return project + "/" + database
}

// id returns the trigger's id at the emulator, such as "onUser@blue". The emulator has one
// list of triggers for all databases of a project.
func (t Trigger) id() string {
	if t.Database == "" {
		return t.Name
	}
	return t.Name + "@" + t.Database
}
