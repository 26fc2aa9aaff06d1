package jobs

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/jobs/jobstest"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func jobNamed(t *testing.T, id string) chunker.Job {
	t.Helper()
	return jobstest.Named(t, id, noon)
}

func TestJobTable(t *testing.T) {
	want := `ID          KIND             STATE     DONE        HOP  ATTEMPT  UPDATED  ERROR
a-queued    relations.index  queued    0           0    2        30s ago  Aborted: posts/p1: contention
b-running   relations.index  running   40/120 33%  3    0        1m ago
c-done      relations.index  done      1           0    0        2h ago
d-failed    relations.index  failed    7/9 77%     5    10       4d ago   DataLoss: relation p1_00001:
e-canceled  relations.index  canceled  5           1    0        26h ago
p~1         relations.index  failed    3/4 75%     0    0        3m ago
p~2         relations.index  queued    3/4 75%     0    0        3m ago
`
	var out strings.Builder
	if err := jobTable(&out, jobstest.Jobs(noon), noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJobAsText(t *testing.T) {
	for name, tt := range map[string]struct {
		job  chunker.Job
		want string
	}{
		"one that waits for its retry, and will run again": {job: jobNamed(t, "a-queued"), want: `job         a-queued
kind        relations.index
state       queued
phase       1 of 2
progress    0 documents
generation  8; this run covers 7, then there is another
hop         0
attempt     2 of 10
failing     2026-01-02T11:00:00Z (1h ago)
wakes       2026-01-02T12:05:30Z (in 5m)
error       Aborted: posts/p1: contention
            2026-01-02T11:59:30Z (30s ago)
created     2026-01-02T09:00:00Z (3h ago)
updated     2026-01-02T11:59:30Z (30s ago)
`},
		"one under way": {job: jobNamed(t, "b-running"), want: `job         b-running
kind        relations.index
state       running
phase       2 of 2
progress    40 of 120 documents, 33%
counts      created=38 kept=2
args        author=alice index=00001
generation  7
hop         3
attempt     0 of 10
lease       held by H for another 9m
wakes       2026-01-02T12:09:30Z (in 9m)
event       event-1
created     2026-01-02T09:00:00Z (3h ago)
updated     2026-01-02T11:58:30Z (1m ago)
`},
		"one that failed at a query": {job: jobNamed(t, "d-failed"), want: `job       d-failed
kind      relations.index
state     failed
phase     1 of 2
progress  7 of 9 documents, 77%
walk      posts where userId == "alice"
hop       5
attempt   10 of 10
error     DataLoss: relation p1_00001:
          not what it was
          2025-12-29T12:00:00Z (4d ago)
created   2026-01-02T09:00:00Z (3h ago)
updated   2025-12-29T12:00:00Z (4d ago)
finished  2025-12-29T12:00:00Z (4d ago)
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := printJob(&out, tt.job, noon); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJobAsTextReportsUnusualState(t *testing.T) {
	dead := jobNamed(t, "b-running")
	dead.Lease = &chunker.Lease{Holder: "H", Until: noon.Add(-time.Minute)}
	waits := chunker.Job{ID: "x", State: chunker.Queued, Owner: "author", Sweeps: 3}
	for line, job := range map[string]chunker.Job{
		"3 since its last step: it may wait for a turn of its author's\n":                waits,
		"lease       held by H until 1m ago: its step died, and another may take over\n": dead,
		"args      removed: the job was private\n":                                       jobNamed(t, "c-done"),
	} {
		var out strings.Builder
		if err := printJob(&out, job, noon); err != nil || !strings.Contains(out.String(), line) {
			t.Errorf("%v, it does not say %q:\n%s", err, line, out.String())
		}
	}
}

// The JSON always has all the fields that the help names.
func TestJobAsJSON(t *testing.T) {
	list := `[{"id":"d-failed","kind":"relations.index","state":"failed","phasesDone":0,"phases":2,"done":7,"total":9,"hop":5,"attempt":10,` +
		`"newer":false,"error":{"code":"DataLoss","message":"relation p1_00001:\nnot what it was","at":"2025-12-29T12:00:00Z"},` +
		`"createdAt":"2026-01-02T09:00:00Z","updatedAt":"2025-12-29T12:00:00Z","wakeAt":null,"finishedAt":"2025-12-29T12:00:00Z"},` +
		`{"id":"p~2","kind":"relations.index","state":"queued","phasesDone":0,"phases":2,"done":3,"total":4,"hop":0,"attempt":0,` +
		`"newer":false,"error":null,` +
		`"createdAt":"2026-01-02T09:00:00Z","updatedAt":"2026-01-02T11:57:00Z","wakeAt":null,"finishedAt":null}]`
	wantJSON(t, list, objectsOf([]chunker.Job{jobNamed(t, "d-failed"), jobNamed(t, "p~2")}))
	wantJSON(t, `[]`, objectsOf(nil))
	running := `{"id":"b-running","kind":"relations.index","state":"running","phasesDone":1,"phases":2,"done":40,"total":120,"hop":3,"attempt":0,` +
		`"newer":false,"error":null,` +
		`"createdAt":"2026-01-02T09:00:00Z","updatedAt":"2026-01-02T11:58:30Z","wakeAt":"2026-01-02T12:09:30Z","finishedAt":null,` +
		`"counts":{"created":38,"kept":2},"generation":"7","runGeneration":"7","maxAttempts":10,"failingSince":null,"sweeps":0,"chunk":500,"lease":{"holder":"H","until":"2026-01-02T12:09:30Z"},` +
		`"private":false,"args":{"author":"alice","index":"00001"},"walk":"","eventId":"event-1","expireAt":null}`
	wantJSON(t, running, detailsOf(jobNamed(t, "b-running")))
	done := `{"id":"c-done","kind":"relations.index","state":"done","phasesDone":2,"phases":2,"done":1,"total":null,"hop":0,"attempt":0,` +
		`"newer":false,"error":null,` +
		`"createdAt":"2026-01-02T09:00:00Z","updatedAt":"2026-01-02T10:00:00Z","wakeAt":null,"finishedAt":"2026-01-02T10:00:00Z",` +
		`"counts":{},"generation":"","runGeneration":"","maxAttempts":10,"failingSince":null,"sweeps":0,"chunk":500,"lease":null,` +
		`"private":true,"args":{},"walk":"","eventId":"","expireAt":"2026-01-09T12:00:00Z"}`
	wantJSON(t, done, detailsOf(jobNamed(t, "c-done")))
	swept := jobNamed(t, "b-running")
	swept.Sweeps = 3
	wantJSON(t, strings.Replace(running, `"sweeps":0`, `"sweeps":3`, 1), detailsOf(swept))

	for field := range fieldsOf(t, running) {
		if !strings.Contains(jobFields+detailsFields, `"`+field+`"`) {
			t.Errorf("the help does not name %q", field)
		}
	}
}

func wantJSON(t *testing.T, want string, value any) {
	t.Helper()
	got, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(want), got) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, string(got)))
	}
}

func fieldsOf(t *testing.T, object string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestProgressAsText(t *testing.T) {
	of := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		job         chunker.Job
		short, long string
	}{
		{chunker.Job{}, "0", "0 documents"},
		{chunker.Job{Done: 1}, "1", "1 document"},
		{chunker.Job{Total: of(0)}, "0/0", "0 of 0 documents"},
		{chunker.Job{Done: 999, Total: of(1000)}, "999/1000 99%", "999 of 1,000 documents"}, // 100% is all
		{chunker.Job{Done: 12, Total: of(10)}, "12/10 120%", "12 of 10 documents"},
	} {
		if short, long := shortProgress(tt.job), progressOf(tt.job); short != tt.short || long != tt.long {
			t.Errorf("got %q and %q, want %q and %q", short, long, tt.short, tt.long)
		}
	}
}
