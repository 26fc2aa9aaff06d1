package emulator_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/process"
	"example.com/relationindex/emulator/push"
)

// hooks has the Busy and the Plan of a test, by the Name of its database: *hook.
var hooks sync.Map

type hook struct {
	busy func(ctx context.Context) (string, error)
	plan func(e emulator.Event) []emulator.Attempt
}

// started is the one emulator of all tests that do not need one of their own. Each test has a project of its own.
var started = sync.OnceValues(func() (*emulator.Emulator, error) {
	needed.Store(true)
	return emulator.Start(context.Background(), emulator.Options{
		Logger: slog.New(slog.DiscardHandler),
		Busy: func(ctx context.Context, name string) (string, error) {
			if h, ok := hooks.Load(name); ok && h.(*hook).busy != nil {
				return h.(*hook).busy(ctx)
			}
			return "", nil
		},
		Plan: func(e emulator.Event) []emulator.Attempt {
			if h, ok := hooks.Load(emulator.Name(e.Project, e.Database)); ok && h.(*hook).plan != nil {
				return h.(*hook).plan(e)
			}
			return nil
		},
		Push: push.Options{Retry: push.Backoff{First: time.Millisecond, Max: 20 * time.Millisecond}},
	})
})

// needed says that a test needs the emulator of started.
var needed atomic.Bool

// shared is the emulator of started.
func shared(tb testing.TB) *emulator.Emulator {
	tb.Helper()
	e, err := started()
	if err != nil {
		tb.Fatalf("this test needs the Firestore emulator: %v", err)
	}
	return e
}

// hang makes this binary start the emulator, say where it is, and wait to be killed: see TestKilledProgramLeavesNoEmulator.
var hang = flag.Bool("emulator.hang", false, "start an emulator and wait to be killed")

// parentOf makes this binary start a child that writes to the FIFO, and wait to be killed: see TestKilledParentLeavesNoChild.
var parentOf = flag.String("process.parent-of", "", "start a child that writes to this FIFO")

func TestMain(m *testing.M) {
	flag.Parse()
	if *parentOf != "" {
		fmt.Fprintln(os.Stderr, beParent(*parentOf))
		os.Exit(1)
	}
	if *hang {
		e, err := started()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stdout, "%s\n%s\n", e.FirestoreHost(), e.LogFile())
		<-e.Done()
		os.Exit(1)
	}
	code := m.Run()
	if needed.Load() {
		if e, err := started(); err == nil {
			if err := errors.Join(e.Close(), os.Remove(e.LogFile())); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func beParent(fifo string) error {
	log, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	c, err := process.Start([]string{"sh", "-c", `exec 3>"$0"; echo runs >&3; exec sleep 1000`, fifo}, nil, log)
	if err != nil {
		return err
	}
	<-c.Done()
	return c.Err()
}

var notInProjectID = regexp.MustCompile(`[^a-z0-9]+`)

var projects atomic.Int64

// projectOf returns a new project id: a test that runs again finds no documents of its own, whose rewriting would make no
// events.
func projectOf(tb testing.TB) string {
	name := strings.Trim(notInProjectID.ReplaceAllString(strings.ToLower(tb.Name()), "-"), "-")
	return fmt.Sprintf("demo-%s-%d", name, projects.Add(1))
}

// function serves h as a function and returns its URL.
func function(tb testing.TB, h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	return server.URL
}

// register registers a trigger for every change of the documents of a database, which is a Name.
func register(tb testing.TB, name, document, url string, change ...func(*emulator.Trigger)) {
	tb.Helper()
	project, database, _ := strings.Cut(name, "/")
	t := emulator.Trigger{Name: "t", Database: database, EventType: "google.cloud.firestore.document.v1.written", Document: document, URL: url}
	for _, c := range change {
		c(&t)
	}
	if err := shared(tb).Broker().Register(tb.Context(), project, t); err != nil {
		tb.Fatal(err)
	}
}

// commit writes documents with one field in one commit. The values must differ from those that are there: a write that
// changes nothing makes no event.
func commit(ctx context.Context, name, value string, documents ...string) error {
	project, database, _ := strings.Cut(name, "/")
	parent := "projects/" + project + "/databases/" + cmp.Or(database, "(default)") + "/documents"
	var writes []string
	for _, d := range documents {
		writes = append(writes, fmt.Sprintf(`{"update":{"name":%s,"fields":{"v":{"stringValue":%s}}}}`, quote(parent+"/"+d), quote(value)))
	}
	return post(ctx, "/v1/"+parent+":commit", `{"writes":[`+strings.Join(writes, ",")+`]}`)
}

// idle waits until the database is idle.
func idle(tb testing.TB, name string) {
	tb.Helper()
	if err := shared(tb).Broker().Idle(tb.Context(), name); err != nil {
		tb.Fatal(err)
	}
}

func write(tb testing.TB, name, value string, documents ...string) {
	tb.Helper()
	if err := commit(tb.Context(), name, value, documents...); err != nil {
		tb.Fatal(err)
	}
}
