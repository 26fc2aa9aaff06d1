package deploy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/relationindex/functions/triggers"
)

// Plan is a deployment, or its removal, as data. [New] and [Removal] send no requests.
type Plan struct {
	options         Options
	removes         bool
	functions       []function
	alerts, metrics int // alert policies, and the metrics that their conditions read
	// Checks must all hold before the script runs.
	Checks []Check
	// Script is a script of bash, which changes the project. [Machine.Run] says what it reads.
	Script string
	// Files has the contents, by name, of the files in $WORK that the script reads.
	Files map[string][]byte
}

// The files in $WORK.
const (
	fileScript  = "deploy.sh"
	fileConfig  = "firebase.json" // firebase-tools reads this file and the next two
	fileIndexes = "firestore.indexes.json"
	fileRules   = "firestore.rules"
	fileKey     = "tombstone-key" // the content of a new secret
	fileSource  = "source"        // the digest of the uploaded files
)

// New returns the plan of a deployment. The options must be valid. New reads the folder
// monitoring of the source.
func New(o Options) (*Plan, error) {
	p := newPlan(o)
	o = p.options
	p.functions = o.functions(triggers.Table(o.Config))
	p.Checks = o.checks()
	p.Files[fileIndexes] = o.Indexes
	firestore := object{"database": o.Config.DatabaseID(), "indexes": fileIndexes}
	if o.RulesKind != KeepRules {
		p.Files[fileRules], firestore["rules"] = uploaded(o.Rules), fileRules
	}
	p.Files[fileKey] = []byte(rand.Text() + rand.Text()) // 260 bits; unused if the secret has a key
	if err := p.addJSON(fileConfig, object{"firestore": firestore}); err != nil {
		return nil, err
	}
	if err := p.deployment(); err != nil {
		return nil, err
	}
	p.Files[fileScript] = []byte(p.Script)
	return p, nil
}

// Removal returns the plan that removes a deployment: every function, account, job, metric, alert policy and dashboard with the
// deployment's mark in the region. Rules, indexes, data, Feed's custom role and the secret with the key of tombstones stay. The
// options must be valid; it uses none of their files.
func Removal(o Options) (*Plan, error) {
	if o.ConfigErr != nil {
		return nil, o.ConfigErr // the error may be in the database's name
	}
	p := newPlan(o)
	p.removes = true
	p.Checks = p.options.removalChecks()
	p.removal()
	p.Files[fileScript] = []byte(p.Script)
	return p, nil
}

func newPlan(o Options) *Plan {
	o.Config.Project = o.Project
	return &Plan{options: o, Files: map[string][]byte{}}
}

// addJSON adds a file for an API.
func (p *Plan) addJSON(name string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	p.Files[name] = append(text, '\n')
	return err
}

// WriteFiles writes Files into a directory. One file has the key of tombstones, so only the current user may read the
// files.
func (p *Plan) WriteFiles(dir string) error {
	for name, content := range p.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chmod(path, 0o600)); err != nil { // an existing file too
			return err
		}
	}
	return nil
}

// Machine carries out plans.
type Machine struct {
	// Ask runs a program that changes nothing, and returns what it prints to standard
	// output. The error includes the end of the program's standard error.
	Ask func(ctx context.Context, args []string) (string, error)
	// Dir is the directory of the module. The script runs there.
	Dir string
	// Work is an empty directory for the files that the script reads.
	Work string
	// Out gets notes of checks, and what the script prints, with its errors.
	Out io.Writer
	// Env has further variables of the script, as NAME=value.
	Env []string
	// SourceDigest and SourceBytes are the digest and the size of the uploaded files. If both are missing, SourceErr
	// says why.
	SourceDigest string
	SourceBytes  int64
	SourceErr    error
	// RulesAPI, FirestoreAPI and UsageAPI are the base URLs of the Security Rules API, of Firestore and of Service Usage.
	RulesAPI, FirestoreAPI, UsageAPI string
	// Indexes and Rules say what the checks have found out: write, or keep what the database has. "" means keep.
	Indexes, Rules string
}

const (
	write = "write"
	keep  = "keep"
)

// Run carries out a plan: all checks, and then the script. If a check fails, Run returns [Failures], and has changed nothing. The
// script stops at a resource with our name that is not ours: before any change, unless somebody makes it meanwhile. You may call Run again, also after an interruption: the
// script skips what is done.
func (m *Machine) Run(ctx context.Context, p *Plan) error {
	m.Indexes, m.Rules = keep, keep
	if err := m.check(ctx, p.Checks); err != nil {
		return err
	}
	p.Files[fileSource] = []byte(m.SourceDigest + "\n")
	if err := p.WriteFiles(m.Work); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "bash", filepath.Join(m.Work, fileScript)) //nolint:gosec // the plan's script
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.Dir, m.Out, m.Out
	cmd.Env = append(append(cmd.Environ(), "INDEXES="+m.Indexes, "RULES="+m.Rules), m.Env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // a terminal sends it to the commands of the script too
	cmd.WaitDelay = time.Minute
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the script of the deployment stopped, see above: %w", err)
	}
	return nil
}
