//go:build long

package dev

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit/program"
)

// smallSystem is a dev whose functions leave everything to jobs, with pages of
// one document, in a database that is not (default).
type smallSystem struct {
	*program.Dev
	client *firestore.Client
	engine *chunker.Engine
}

func startSmall(t *testing.T) *smallSystem {
	t.Helper()
	t.Setenv("RELATIONINDEX_DATABASE", "blue")
	system, err := program.StartDev(t.TempDir(), []string{"RELATIONINDEX_TEST_INLINE_LIMIT=1", "RELATIONINDEX_TEST_CHUNK=1", "RELATIONINDEX_TEST_STEP=1ns"})
	if err != nil {
		t.Fatal(err)
	}
	signal := os.Interrupt
	if runtime.GOOS == "linux" { // elsewhere the children of one that is killed are not told
		signal = os.Kill
	}
	t.Cleanup(func() {
		wantGone(t, system.Cmd.Process.Pid, 3, signal, func() { _ = system.End(signal) })
	})
	c, err := local.OpenDatabase(t.Context(), system.Project, system.Database, system.FirestoreHost)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &smallSystem{system, c, chunker.New(c, chunker.Options{})}
}

// jobs runs a command of jobs.
func (s *smallSystem) jobs(t *testing.T, args ...string) program.Outcome {
	t.Helper()
	return program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=" + s.FirestoreHost}, append([]string{"jobs"}, args...)...)
}

// until waits until a job is as it should be.
func (s *smallSystem) until(t *testing.T, id string, as func(chunker.Job) bool) chunker.Job {
	t.Helper()
	var job chunker.Job
	if err := program.Until(t.Context(), func() bool {
		var err error
		job, err = s.engine.Get(t.Context(), id)
		return err == nil && as(job)
	}); err != nil {
		t.Fatalf("the job stays %+v: %v", job, err)
	}
	return job
}

// A job under way, the functions on one side and a person on the other.
func TestJobsOfRealFunctions(t *testing.T) {
	s := startSmall(t)
	t.Run("one is canceled, retried, and waited for", s.cancelRetryWait)
	t.Run("one fails, is retried, and fails again", s.failAndRetry)
	t.Run("every command is of that database", s.otherCommands)
}

func (s *smallSystem) otherCommands(t *testing.T) {
	env := []string{"FIRESTORE_EMULATOR_HOST=" + s.FirestoreHost}
	program.Run(t, env, "feed", "--as", "bob", "--limit", "1").Want(t, program.OK, "alice", "p299")
	program.Run(t, env, "verify").Want(t, program.OK, "checked 1 follows", "600 relations", "verify: 0 violations")
	program.Run(t, env, "repair", "--dry-run").Want(t, program.OK, "would repair: 0 violations")
	program.Run(t, env, "trace", "bob").Want(t, program.Failed, "users/alice/followers/bob")
	inDefault := append(env, "RELATIONINDEX_DATABASE=")
	program.Run(t, inDefault, "feed", "--as", "bob").Want(t, program.OK, "nothing in the feed of bob")
	program.Run(t, inDefault, "trace", "bob").Want(t, program.OK)
}

func (s *smallSystem) cancelRetryWait(t *testing.T) {
	const posts, id = 300, "index:alice:00001"
	var rows strings.Builder
	for n := range posts {
		fmt.Fprintf(&rows, "p%03d,alice,%d\n", n, 1341100972+n)
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + s.FirestoreHost}
	program.Run(t, env, "import", "posts", program.File(t, "posts.csv", rows.String()), "--columns", "id=1,author=2,createdAt=3").Want(t, program.OK)
	program.Run(t, env, "import", "follows", program.File(t, "graph.txt", "bob alice\n"), "--columns", "follower=1,followed=2").Want(t, program.OK)

	s.until(t, id, func(j chunker.Job) bool { return j.Done > 0 })
	s.jobs(t, "cancel", id).Want(t, program.OK, `job "index:alice:00001" is canceled after `)
	canceled := s.until(t, id, func(chunker.Job) bool { return true })
	if canceled.State != chunker.Canceled || canceled.Done >= posts {
		t.Fatalf("the job is %s after %d of %d posts", canceled.State, canceled.Done, posts)
	}
	s.jobs(t, "show", id).Want(t, program.OK, "canceled\n", "author=alice index=00001\n")
	s.jobs(t, "list", "--state", "canceled").Want(t, program.OK, id)
	s.jobs(t, "wait", id).Want(t, program.Failed, "wait: 0 done, 1 canceled\n")

	s.jobs(t, "retry", id).Want(t, program.OK, "is queued", "relationindex jobs wait index:alice:00001\n")
	out := s.jobs(t, "wait", id)
	if job := s.until(t, id, func(chunker.Job) bool { return true }); job.State != chunker.Done || job.Done < posts || job.Hop <= canceled.Hop {
		t.Errorf("when the wait has ended the job is %s after %d of %d posts, at hop %d after %d", job.State, job.Done, posts, job.Hop, canceled.Hop)
	}
	// No post is counted twice: it went on where it had stopped.
	if want := fmt.Sprintf("done      %s  %d of %[2]d documents\nwait: 1 done\n", id, posts); out.Stdout != want {
		t.Errorf("the wait says %q, want %q", out.Stdout, want)
	}
	out.Want(t, program.OK)
	s.jobs(t, "wait").Want(t, program.OK, "no job is unfinished")
	s.jobs(t, "retry", id).Want(t, program.Failed, "is done, so it cannot be retried: the next change")
}

func (s *smallSystem) failAndRetry(t *testing.T) {
	const id = "strange one"
	now := time.Now()
	// No version of the program knows the kind; this job does not wait for one that does.
	job := chunker.Job{Kind: "no.such.kind", State: chunker.Queued, WakeAt: &now, MaxAttempts: 1, CreatedAt: now, UpdatedAt: now}
	if _, err := s.client.Collection("_functions").Doc(id).Set(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	const why = `Unknown: chunker: this version has no task "no.such.kind"`
	s.jobs(t, "wait", id).Want(t, program.Failed, "failed    strange one  0 documents: "+why+"\nwait: 0 done, 1 failed\n")
	s.jobs(t, "show", id).Want(t, program.OK, why+"\n", "1 of 1\n")
	s.jobs(t, "list", "--state", "failed").Want(t, program.OK, id, `Unknown: chunker`)
	failed := s.until(t, id, func(j chunker.Job) bool { return j.State == chunker.Failed })

	s.jobs(t, "retry", id).Want(t, program.OK, "relationindex jobs wait 'strange one'\n")
	again := s.until(t, id, func(j chunker.Job) bool { return j.State == chunker.Failed && j.Hop > failed.Hop })
	if again.Error == nil || !again.Error.At.After(failed.Error.At) {
		t.Errorf("after the retry the error is %+v, before it was %+v", again.Error, failed.Error)
	}
}
