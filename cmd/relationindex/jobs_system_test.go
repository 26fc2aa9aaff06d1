package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/devhost/local"
)

// smallSystem is a dev whose functions leave everything to jobs, with pages of
// one document, in a database that is not (default).
type smallSystem struct {
	ready
	client *firestore.Client
	engine *chunker.Engine
}

func startSmall(t *testing.T) *smallSystem {
	t.Helper()
	t.Setenv("RELATIONINDEX_DATABASE", "blue")
	system, err := startDev(t.TempDir(), []string{"RELATIONINDEX_INLINE_LIMIT=1", "RELATIONINDEX_CHUNK=1"})
	if err != nil {
		t.Fatal(err)
	}
	signal := os.Interrupt
	if runtime.GOOS == "linux" { // elsewhere the children of one that is killed are not told
		signal = os.Kill
	}
	t.Cleanup(func() {
		wantGone(t, system.cmd.Process.Pid, 3, signal, func() { _ = system.end(signal) })
	})
	c, err := local.OpenDatabase(t.Context(), system.ready.Project, system.ready.Database, system.ready.FirestoreHost)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &smallSystem{system.ready, c, chunker.New(c, chunker.Options{})}
}

// jobs runs a command of jobs.
func (s *smallSystem) jobs(t *testing.T, args ...string) outcome {
	t.Helper()
	return runProgram(t, []string{"FIRESTORE_EMULATOR_HOST=" + s.FirestoreHost}, append([]string{"jobs"}, args...)...)
}

// until waits until a job is as it should be.
func (s *smallSystem) until(t *testing.T, id string, as func(chunker.Job) bool) chunker.Job {
	t.Helper()
	var job chunker.Job
	if err := until(t.Context(), func() bool {
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
	runProgram(t, env, "feed", "--as", "bob", "--limit", "1").want(t, exitOK, "alice", "p299")
	runProgram(t, env, "verify").want(t, exitOK, "checked 1 follows", "300 relations", "verify: 0 violations")
	runProgram(t, env, "repair", "--dry-run").want(t, exitOK, "would repair: 0 violations")
	runProgram(t, env, "trace", "bob").want(t, exitFailed, "users/alice/followers/bob")
	inDefault := append(env, "RELATIONINDEX_DATABASE=")
	runProgram(t, inDefault, "feed", "--as", "bob").want(t, exitOK, "nothing in the feed of bob")
	runProgram(t, inDefault, "trace", "bob").want(t, exitOK)
}

func (s *smallSystem) cancelRetryWait(t *testing.T) {
	const posts, id = 300, "index:alice:00001"
	var rows strings.Builder
	for n := range posts {
		fmt.Fprintf(&rows, "p%03d,alice,%d\n", n, 1341100972+n)
	}
	env := []string{"FIRESTORE_EMULATOR_HOST=" + s.FirestoreHost}
	runProgram(t, env, "import", "posts", writeFile(t, "posts.csv", rows.String()), "--columns", "id=1,author=2,createdAt=3").want(t, exitOK)
	runProgram(t, env, "import", "follows", writeFile(t, "graph.txt", "bob alice\n"), "--columns", "follower=1,followed=2").want(t, exitOK)

	s.until(t, id, func(j chunker.Job) bool { return j.Done > 0 })
	s.jobs(t, "cancel", id).want(t, exitOK, `job "index:alice:00001" is canceled after `)
	canceled := s.until(t, id, func(chunker.Job) bool { return true })
	if canceled.State != chunker.Canceled || canceled.Done >= posts {
		t.Fatalf("the job is %s after %d of %d posts", canceled.State, canceled.Done, posts)
	}
	s.jobs(t, "show", id).want(t, exitOK, "canceled\n", "author=alice index=00001\n")
	s.jobs(t, "list", "--state", "canceled").want(t, exitOK, id)
	s.jobs(t, "wait", id).want(t, exitFailed, "wait: 0 done, 1 canceled\n")

	s.jobs(t, "retry", id).want(t, exitOK, "is queued", "relationindex jobs wait index:alice:00001\n")
	out := s.jobs(t, "wait", id)
	if job := s.until(t, id, func(chunker.Job) bool { return true }); job.State != chunker.Done || job.Done < posts || job.Hop <= canceled.Hop {
		t.Errorf("when the wait has ended the job is %s after %d of %d posts, at hop %d after %d", job.State, job.Done, posts, job.Hop, canceled.Hop)
	}
	// No post is counted twice: it went on where it had stopped.
	if want := fmt.Sprintf("done      %s  %d of %[2]d documents\nwait: 1 done\n", id, posts); out.stdout != want {
		t.Errorf("the wait says %q, want %q", out.stdout, want)
	}
	out.want(t, exitOK)
	s.jobs(t, "wait").want(t, exitOK, "no job is unfinished")
	s.jobs(t, "retry", id).want(t, exitFailed, "is done: the next change")
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
	s.jobs(t, "wait", id).want(t, exitFailed, "failed    strange one  0 documents: "+why+"\nwait: 0 done, 1 failed\n")
	s.jobs(t, "show", id).want(t, exitOK, why+"\n", "1 of 1\n")
	s.jobs(t, "list", "--state", "failed").want(t, exitOK, id, `Unknown: chunker`)
	failed := s.until(t, id, func(j chunker.Job) bool { return j.State == chunker.Failed })

	s.jobs(t, "retry", id).want(t, exitOK, "relationindex jobs wait 'strange one'\n")
	again := s.until(t, id, func(j chunker.Job) bool { return j.State == chunker.Failed && j.Hop > failed.Hop })
	if again.Error == nil || !again.Error.At.After(failed.Error.At) {
		t.Errorf("after the retry the error is %+v, before it was %+v", again.Error, failed.Error)
	}
}
