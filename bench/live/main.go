// Command live tests points of docs/unproven.md that no emulator can answer, on a live project. It
// needs a project of its own, without users, into which scripts/deploy has deployed:
//
//	go run ./bench/live -project my-test-project
//	go run ./bench/live -project my-test-project -probe events,entries -id-token "$TOKEN"
//
// It writes documents under an author of its own, live-probe-…, and removes them. It writes some 60 MB
// in all: less than a dollar. Each output line has the point, the observation, and whether the code
// may rely on it. With FIRESTORE_EMULATOR_HOST it tests the emulator, whose answers do not hold for
// production.
//
// It exits with 1 if something that the code relies on is untrue.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/bench/internal/program"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

func main() { program.Main("live", check) }

// live is the project under test.
type live struct {
	client   *firestore.Client
	cfg      schema.Config
	author   string        // of all documents written
	idToken  string        // of an account of the project; "": rules are not probed
	root     string        // the project's folder, with a slash at its end; "": the present one
	patience time.Duration // longest wait before something counts as lost
	losing   time.Duration // the same, for an event that is too large
}

// answer is an observation.
type answer struct {
	seen string
	// wrong is what the code relies on and is not so; "" if nothing is.
	wrong string
}

// probes run in this order. Each deletes what it has written; profiles are purged then, which leaves tombstones.
var probes = []struct {
	name string
	ask  func(context.Context, *live) ([]answer, error)
}{
	{"entries", entries},
	{"transaction", transactions},
	{"events", events},
	{"rules", withToken(rules)},
	{"names", withToken(people)},
	{"readtime", withToken(readTime)},
}

// withToken returns a probe that needs an ID token, from one that gets the token's account.
func withToken(ask func(ctx context.Context, l *live, uid string) ([]answer, error)) func(context.Context, *live) ([]answer, error) {
	return func(ctx context.Context, l *live) ([]answer, error) {
		if l.idToken == "" {
			return []answer{{seen: "not asked: it needs -id-token"}}, nil
		}
		uid, err := subject(l.idToken)
		if err != nil {
			return nil, err
		}
		return ask(ctx, l, uid)
	}
}

func check(ctx context.Context, args []string, out io.Writer) error {
	var only string
	var l live
	flags := flag.NewFlagSet("live", flag.ContinueOnError)
	project := flags.String("project", "", "project to probe; use one without users")
	flags.StringVar(&only, "probe", "", "entries, transaction, events, rules, names, readtime, separated by commas; all when empty")
	flags.StringVar(&l.idToken, "id-token", "", "Firebase ID token of an account of the project, for the probes of rules, names and readtime")
	flags.DurationVar(&l.patience, "patience", 2*time.Minute, "how long an event may take before it counts as lost")
	if err := flags.Parse(args); err != nil {
		return program.ErrUsage
	}
	l.losing = l.patience
	if *project == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "live: -project names the project, and nothing else is taken")
		return program.ErrUsage
	}
	wanted, err := choose(only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		return program.ErrUsage
	}
	if l.cfg, err = envfile.Load(); err != nil {
		return err
	}
	if l.client, err = wire.OpenDatabase(ctx, *project, l.cfg.Database, l.cfg.EmulatorHost); err != nil {
		return err
	}
	defer l.client.Close()
	if l.cfg.EmulatorHost != "" {
		fmt.Fprintln(out, "asked of an emulator: the answers say nothing about production")
	}
	return l.ask(ctx, wanted, out)
}

// choose returns the probes named, separated by commas; for "", all probes.
func choose(names string) (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, p := range probes {
		wanted[p.name] = names == ""
	}
	if names == "" {
		return wanted, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		if _, known := wanted[name]; !known {
			return nil, fmt.Errorf("unknown probe %q", name)
		}
		wanted[name] = true
	}
	return wanted, nil
}

// ask runs the wanted probes, and prints their answers.
func (l *live) ask(ctx context.Context, wanted map[string]bool, out io.Writer) error {
	l.author = "live-probe-" + strings.ToLower(rand.Text()[:8])
	var wrong []error
	for _, p := range probes {
		if !wanted[p.name] {
			continue
		}
		answers, err := p.ask(ctx, l)
		for _, a := range answers {
			fmt.Fprintf(out, "%-12s %s\n", p.name, a.seen)
			if a.wrong != "" {
				fmt.Fprintf(out, "%-12s WRONG: %s\n", "", a.wrong)
				wrong = append(wrong, errors.New(a.wrong))
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d assumptions of the code are false: see docs/unproven.md", len(wrong))
	}
	return nil
}
