package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/rogpeppe/go-internal/testscript"

	"example.com/relationindex/cmd/relationindex/internal/jobs/jobstest"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit/program"
)

// The scripts of testdata/script run the program as a person does. Each has a project of its own without functions,
// demo-NAME, in the variables of its shell. Beside the commands of package testscript, it has these:
//
//	exit CODE PROGRAM ARG...   runs a program, which must exit with this code
//	says TEXT...               requires each text in the output of the last program; \n is a line break
//	write PATH OBJECT          writes a document: see value
//	write FILE                 writes a document of each line: PATH OBJECT; in PATH, \n is a line break
//	delete PATH...             deletes documents
//	documents GROUP...         prints the documents of collection groups, one a line, as write takes them
//	functions NAME=VALUE...    stores a configuration, as functions do that start with these variables
//	jobs                       writes the jobs of package jobstest
//	idle                       waits until the functions of the project of dev are idle
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *program.Update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("MODULE", root)
			env.Setenv("FIRESTORE_EMULATOR_HOST", running.FirestoreHost)
			env.Setenv("GOOGLE_CLOUD_PROJECT", "demo-"+strings.TrimPrefix(filepath.Base(env.WorkDir), "script-"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exit": exits, "says": says, "idle": idle,
			"write":     onDatabase(t, write),
			"delete":    onDatabase(t, remove),
			"documents": onDatabase(t, documentsOf),
			"functions": onDatabase(t, started),
			"jobs":      onDatabase(t, putJobs),
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	code, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: exit CODE PROGRAM ARG...")
	}
	err = ts.Exec(args[1], args[2:]...)
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != code {
		ts.Fatalf("%v, want exit code %d\nstdout: %s\nstderr: %s", err, code, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func says(ts *testscript.TestScript, neg bool, args []string) {
	output := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	for _, text := range args {
		if strings.Contains(output, strings.ReplaceAll(text, `\n`, "\n")) == neg {
			ts.Fatalf("that it says %q is %t:\n%s", text, neg, output)
		}
	}
}

func idle(ts *testscript.TestScript, _ bool, _ []string) {
	resp, err := http.Get(running.FunctionsURL + "/idle?timeout=60s")
	ts.Check(err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("idle: %s", resp.Status)
	}
}

// onDatabase returns a command of scripts that works on the database of the script's shell.
func onDatabase(t *testing.T, work func(t *testing.T, c *firestore.Client, ts *testscript.TestScript, args []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		c, err := local.Open(t.Context(), ts.Getenv("GOOGLE_CLOUD_PROJECT"), running.FirestoreHost)
		ts.Check(err)
		defer c.Close()
		ts.Check(work(t, c, ts, args))
	}
}

func write(t *testing.T, c *firestore.Client, ts *testscript.TestScript, args []string) error {
	lines := strings.Join(args, " ")
	if len(args) == 1 {
		lines = ts.ReadFile(args[0])
	}
	batch := c.BulkWriter(t.Context())
	var written []*firestore.BulkWriterJob
	for line := range strings.Lines(lines) {
		path, object, _ := strings.Cut(line, " {")
		var fields map[string]any
		decoder := json.NewDecoder(strings.NewReader("{" + object))
		decoder.UseNumber()
		if err := decoder.Decode(&fields); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		job, err := batch.Set(c.Doc(strings.ReplaceAll(path, `\n`, "\n")), value(c, fields))
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		written = append(written, job)
	}
	batch.End()
	for _, job := range written {
		if _, err := job.Results(); err != nil {
			return err
		}
	}
	return nil
}

// value returns the value of Firestore that JSON stands for. "now" is the server's time, a time of RFC 3339 is a
// timestamp, "ref:PATH" is a reference, and a number without a fraction is an integer.
func value(c *firestore.Client, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = value(c, v[name])
		}
	case []any:
		for i := range v {
			v[i] = value(c, v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at
		}
		if path, ok := strings.CutPrefix(v, "ref:"); ok {
			return c.Doc(path)
		}
		if v == "now" {
			return firestore.ServerTimestamp
		}
	}
	return v
}

func remove(t *testing.T, c *firestore.Client, _ *testscript.TestScript, args []string) error {
	for _, path := range args {
		if _, err := c.Doc(path).Delete(t.Context(), firestore.Exists); err != nil {
			return err
		}
	}
	return nil
}

func documentsOf(t *testing.T, c *firestore.Client, ts *testscript.TestScript, args []string) error {
	var lines []string
	for _, group := range args {
		docs, err := c.CollectionGroup(group).Documents(t.Context()).GetAll()
		if err != nil {
			return err
		}
		for _, doc := range docs {
			fields := doc.Data()
			for name, v := range fields {
				if at, ok := v.(time.Time); ok && doc.UpdateTime.Sub(at).Abs() <= time.Second {
					fields[name] = "now"
				}
			}
			object, err := json.Marshal(fields)
			if err != nil {
				return err
			}
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			lines = append(lines, path+" "+string(object)+"\n")
		}
	}
	slices.Sort(lines)
	_, err := fmt.Fprint(ts.Stdout(), strings.Join(lines, ""))
	return err
}

func started(t *testing.T, c *firestore.Client, _ *testscript.TestScript, args []string) error {
	cfg, err := config.EnvironmentOf(args).LoadAnyProject()
	if err != nil {
		return err
	}
	_, err = configured.Start(t.Context(), c, cfg, slog.New(slog.DiscardHandler))
	return err
}

func putJobs(t *testing.T, c *firestore.Client, _ *testscript.TestScript, _ []string) error {
	for _, job := range jobstest.Jobs(time.Now()) {
		if _, err := c.Doc("_functions/"+job.ID).Set(t.Context(), job); err != nil {
			return err
		}
	}
	return nil
}
