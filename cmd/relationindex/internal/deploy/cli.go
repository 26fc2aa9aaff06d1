package deploy

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/upload"
)

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newConfig(), newDeploy(), newDeployCheck(), newUndeploy()}
}

func newDeploy() *cobra.Command {
	var d deployment
	var files string
	cmd := &cobra.Command{
		Use:   "deploy --project P --location L --region R",
		Short: "Install or update the system in a Google Cloud project",
		Long: `deploy makes the parts of the system in a Google Cloud project: indexes, rules, service
accounts, the functions, the scheduler's job, metrics, alerts and a dashboard. It runs
gcloud and firebase-tools, and needs the module's directory.

First, deploy prints a summary and checks its requirements. If any are missing, deploy
lists them all, each with what to do, and changes nothing. deploy leaves correct parts
alone. So you can run deploy again at any time, also after an interruption.

--dry-run prints the summary, and every command for a shell. You can run each command
again. With --files DIR, deploy also writes the files that the commands read.

The functions get the RELATIONINDEX_ variables of relationindex.env; variables of this
shell take precedence. If the functions run with another value of a variable, deploy
stops, unless --differ names the variable.` + deployHelp,
		Example: `  relationindex deploy --dry-run --project p --location us-central1 --region us-central1
  relationindex deploy --project p --location eur3 --region europe-west4 --rules keep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files != "" && !d.dryRun {
				return command.Usagef("--files %s: requires --dry-run, which prints the commands that read the files", files)
			}
			if cmd.Flags().Changed("module") && d.options.Module == "" {
				return command.Usagef("--module is empty: name the directory of the app's module, or leave the flag out to deploy our functions")
			}
			plan, err := d.plan()
			if err != nil {
				return err
			}
			if err := d.show(cmd, plan, files); err != nil || d.dryRun {
				return err
			}
			return d.carryOut(cmd, plan, (*Machine).Deploy)
		},
	}
	d.addFlags(cmd)
	d.addPlanFlags(cmd)
	cmd.Flags().StringVar(&files, "files", "", "with --dry-run: write the files that the commands read to this `directory`")
	return cmd
}

// show prints the summary of a plan or, for a dry run, the whole plan.
func (d *deployment) show(cmd *cobra.Command, plan *Plan, files string) error {
	if !d.dryRun {
		fmt.Fprint(cmd.OutOrStdout(), plan.Summary())
		return nil
	}
	if err := plan.CheckLocal(cmd.Context()); err != nil {
		return err
	}
	if files != "" {
		var err error
		if files, err = d.writeFiles(cmd.Context(), plan, files); err != nil {
			return fmt.Errorf("--files: %w", err)
		}
	}
	fmt.Fprint(cmd.OutOrStdout(), plan.Text(files))
	return nil
}

// writeFiles writes the files that the commands of a plan read, and returns the directory's full path.
func (d *deployment) writeFiles(ctx context.Context, plan *Plan, dir string) (string, error) {
	source, _, err := d.digest(ctx)
	if err != nil {
		return "", err
	}
	plan.Files[fileSource] = []byte(source + "\n")
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if err := mayWriteInto(dir); err != nil {
		return "", err
	}
	return dir, plan.WriteFiles(dir)
}

// mayWriteInto rejects a directory with files, unless an earlier --files wrote into the directory. Otherwise our files
// could overwrite an app's files of the same names.
func mayWriteInto(dir string) error {
	there, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(there) > 0 && !slices.ContainsFunc(there, func(e fs.DirEntry) bool { return e.Name() == fileSource }) {
		return fmt.Errorf("--files %s: the directory has files, but none of an earlier --files: name a new directory outside of any repository, because deploy writes the tombstone key into the directory", dir)
	}
	return nil
}

const deployHelp = `

One project can have several systems. Each needs its own --name and its own database,
which RELATIONINDEX_DATABASE names.`

// deployment holds the options of deploy and undeploy.
type deployment struct {
	options Options
	source  string
	dryRun  bool
}

// digest returns the digest of the uploaded files, and the size of a function's upload in bytes. With --module, the
// digest covers both modules. The app's module is built with our module. The job of --sample is built from our module.
func (d *deployment) digest(ctx context.Context) (string, int64, error) {
	ours, size, err := upload.Digest(ctx, d.source)
	if err != nil || d.options.Module == "" {
		return ours, size, err
	}
	theirs, size, err := upload.Digest(ctx, d.options.Module)
	sum := sha256.Sum256([]byte(theirs + ours))
	return hex.EncodeToString(sum[:])[:len(ours)], size, err
}

func (d *deployment) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.Project, "project", "", "id of the Google Cloud project")
	f.StringVar(&d.options.Location, "location", "", "the database's location: a region, or nam5, eur3, nam7")
	f.StringVar(&d.options.Region, "region", "", "the functions' region: the database's region, or a region of its multi-region")
	f.StringVar(&d.options.Name, "name", DefaultName, "name of this system in the project")
	f.StringVar(&d.source, "source", ".", "the module's directory")
	f.BoolVar(&d.dryRun, "dry-run", false, "print every command, for a shell, and run none; needs no network")
	for _, name := range []string{"project", "location", "region"} {
		_ = cmd.MarkFlagRequired(name) // the flags exist
	}
}

// addPlanFlags adds the flags that undeploy does not need.
func (d *deployment) addPlanFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.RulesFile, "rules", "", "standard, the default: our rules, and clients may read relations; name standard to replace feed-only. feed-only: our rules, and clients read only through Feed. keep: the database's rules stay. Or a file with all rules of the database, deployed instead of our rules")
	f.BoolVar(&d.options.Pace, "pace", false, "deploy rules that limit each account's acts in an hour: see docs/rules.md; first release clients that write rates")
	command.AddDiffer(cmd, &d.options.Differ)
	f.StringVar(&d.options.ReplaceRules, "replace-rules", "", "replace the database's rules if they have this digest; deploy prints the digest when it stops because of the rules")
	f.StringArrayVar(&d.options.Notify, "notify", nil, "notification channel of the alerts, projects/P/notificationChannels/N; repeat the flag for more channels")
	f.Int64Var(&d.options.Sample, "sample", 0, "make a Cloud Run job that runs 'relationindex verify --sample' each hour with this number of `reads`, at most 10,000,000; without the flag, an existing job stays")
	f.BoolVar(&d.options.SampleRepair, "sample-repair", false, "with --sample: the job also repairs what it finds")
	f.StringVar(&d.options.Module, "module", "", "instead of our functions, deploy the functions of the app's own Go module in this `directory`, such as a copy of examples/embed, with the relationindex.env of the directory; the module needs a folder vendor")
	f.BoolVar(&d.options.NoFeed, "no-feed", false, "deploy no function Feed, and remove an existing one")
}

// fill completes the options from the environment and the module.
func (d *deployment) fill() error {
	o := &d.options
	o.Config, o.ConfigErr = config.LoadIn(cmp.Or(o.Module, "."))
	if err := o.Validate(); err != nil {
		return command.Usage(err)
	}
	o.Indexes, o.Rules = module.FirestoreIndexes, module.FirestoreRules
	o.Source = os.DirFS(d.source)
	if o.Module != "" { // commands run in the directory of our module
		var err error
		if o.Module, err = filepath.Abs(o.Module); err != nil {
			return err
		}
	}
	switch o.RulesFile {
	case FeedOnlyRules:
		o.Rules = module.FirestoreFeedOnlyRules
	case "", StandardRules, KeepRules:
	default:
		if err := d.readRules(); err != nil {
			return err
		}
	}
	if !o.Pace {
		return nil
	}
	text := &o.Rules
	if o.OwnRules != nil {
		text = &o.OwnRules
	}
	var err error
	if *text, err = config.Paced(*text); err != nil {
		return command.Usagef("--pace: %w", err)
	}
	return nil
}

// service matches the start of the block that holds all rules of a database.
var service = regexp.MustCompile(`\bservice\s+cloud\.firestore\b`)

// readRules reads the file of --rules.
func (d *deployment) readRules() (err error) {
	o := &d.options
	if o.RulesFile, err = filepath.Abs(o.RulesFile); err == nil { // the commands of a printed plan run in the module's directory
		o.OwnRules, err = os.ReadFile(o.RulesFile)
	}
	kind := config.Nearest(strings.ToLower(filepath.Base(o.RulesFile)), FeedOnlyRules, StandardRules, KeepRules)
	switch {
	case errors.Is(err, fs.ErrNotExist) && kind != "":
		return command.Usagef("--rules %s: there is no such file: did you mean %s?", filepath.Base(o.RulesFile), kind)
	case err != nil:
		return fmt.Errorf("--rules: %w", err)
	case !service.MatchString(config.BareRules(string(o.OwnRules))):
		return command.Usagef("--rules %s: the file has no 'service cloud.firestore', so the file has no Firestore rules", o.RulesFile)
	}
	for kind, ours := range map[string][]byte{StandardRules: module.FirestoreRules, FeedOnlyRules: module.FirestoreFeedOnlyRules} {
		if bytes.Equal(o.OwnRules, ours) {
			return command.Usagef("--rules=%s: the file is identical to the built-in rules: use --rules %s", o.RulesFile, kind)
		}
	}
	return nil
}

func (d *deployment) plan() (*Plan, error) {
	if err := d.fill(); err != nil {
		return nil, err
	}
	if _, err := fs.Stat(d.options.Source, "go.mod"); err != nil {
		return nil, command.Usagef("--source %s: must be the directory of the module that is deployed: %w", d.source, err)
	}
	return New(d.options)
}

// carryOut carries out a plan on this machine, and prints each step.
func (d *deployment) carryOut(cmd *cobra.Command, plan *Plan, do func(*Machine, context.Context, *Plan) error) error {
	work, err := os.MkdirTemp("", "relationindex-deploy-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary directory
	bar := console.Start("reading what exists", 0)
	defer func() { bar.End() }()
	m := local(d.source, work)
	m.SourceDigest, m.SourceBytes, m.SourceErr = d.digest(cmd.Context())
	m.Told = func(t Told) {
		bar.End()
		at := fmt.Sprintf("%d/%d %s", t.Number, t.All, t.Step.Title)
		if t.Outcome == "" {
			bar = console.Start(at, 0)
		} else {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", at, t.Outcome)
		}
	}
	m.Said = func(note string) {
		bar.Above(func() { fmt.Fprintln(cmd.OutOrStdout(), console.Printable(note)) })
	}
	return do(m, cmd.Context(), plan)
}
