package deploying

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	module "example.com/relationindex"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/cli/console"
	"example.com/relationindex/internal/cli/deploy"
	"example.com/relationindex/internal/runtime/config"
)

func newDeploy() *cobra.Command {
	var d deployment
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "deploy --project P --location L --region R",
		Short: "Put the system into a Google Cloud project, or bring it up to date there",
		Long: `deploy makes in a Google Cloud project what the system needs: indexes, rules,
service accounts, the functions, the scheduler's job, and what watches them. It
runs gcloud and firebase-tools, and needs the module's directory.

First it asks whether everything is there that it needs. What is missing is told
all at once, with what to run, and nothing is changed. What is as it should be is
left alone, so that it may be run again at any time, also after it was interrupted.

The functions get the RELATIONINDEX_ variables of relationindex.env, over which this
shell's count. A variable that functions run with otherwise stops it, unless --differ
names it.` + deployHelp,
		Example: `  relationindex deploy --dry-run --project p --location us-central1 --region us-central1
  relationindex deploy --project p --location eur3 --region europe-west4 --rules keep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := d.plan()
			if err != nil {
				return err
			}
			if dryRun {
				return printed(cmd, plan, plan.Text())
			}
			return d.carryOut(cmd, plan, (*deploy.Machine).Deploy)
		},
	}
	d.addFlags(cmd)
	d.addPlanFlags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print every command, for a shell, and run none; needs no network")
	return cmd
}

// printed prints what is made of a plan, or says what this machine knows against it.
func printed(cmd *cobra.Command, plan *deploy.Plan, text string) error {
	if err := plan.CheckLocal(cmd.Context()); err != nil {
		return err
	}
	_, err := io.WriteString(cmd.OutOrStdout(), text)
	return err
}

const deployHelp = `

Several systems go into one project by --name, each on a database of its own, which
RELATIONINDEX_DATABASE names.`

// deployment is what deploy, deploy-plan and undeploy are asked for.
type deployment struct {
	options deploy.Options
	source  string
}

func (d *deployment) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.Project, "project", "", "id of the Google Cloud project")
	f.StringVar(&d.options.Location, "location", "", "where the database is: a region, or nam5, eur3, nam7")
	f.StringVar(&d.options.Region, "region", "", "where the functions are: the same region, or one of the multi-region")
	f.StringVar(&d.options.Name, "name", deploy.DefaultName, "name of this system in the project")
	f.StringVar(&d.source, "source", ".", "the module's directory")
	for _, name := range []string{"project", "location", "region"} {
		_ = cmd.MarkFlagRequired(name) // they exist
	}
}

// addPlanFlags adds what undeploy does not need to know.
func (d *deployment) addPlanFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.RulesFile, "rules", "", "feed-only: ours by which clients read through Feed alone; standard: ours by which they read relations too, the default, also in place of feed-only; keep: leave the database's as they are; or a file with all rules of the database, to deploy in place of ours")
	f.BoolVar(&d.options.Pace, "pace", false, "acts of clients have a pace by the rules: see docs/rules.md, and release clients that write rates first")
	command.AddDiffer(cmd, &d.options.Differ)
	f.StringVar(&d.options.ReplaceRules, "replace-rules", "", "replace the rules of the database that deploy names so when it stops at them")
	f.StringArrayVar(&d.options.Notify, "notify", nil, "notification channel of the alerts, projects/P/notificationChannels/N; any number of times")
	f.Int64Var(&d.options.Sample, "sample", 0, "have a Cloud Run job run 'relationindex verify --sample' each hour, with so many `reads`, at most 10,000,000; one that is there stays")
	f.BoolVar(&d.options.SampleRepair, "sample-repair", false, "with --sample: have it repair what it finds")
	f.BoolVar(&d.options.NoFeed, "no-feed", false, "without the function Feed: one that is there is removed")
}

// fill completes the options with what the environment and the module have.
func (d *deployment) fill() error {
	o := &d.options
	o.Config, o.ConfigErr = config.LoadCLI()
	if err := o.Validate(); err != nil {
		return command.Usage(err)
	}
	o.Indexes, o.Rules = module.FirestoreIndexes, module.FirestoreRules
	o.Source = os.DirFS(d.source)
	switch o.RulesFile {
	case deploy.FeedOnlyRules:
		o.Rules = module.FirestoreFeedOnlyRules
	case "", deploy.StandardRules, deploy.KeepRules:
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

// service is what all rules of a database are in.
var service = regexp.MustCompile(`\bservice\s+cloud\.firestore\b`)

// readRules reads the file of --rules.
func (d *deployment) readRules() (err error) {
	o := &d.options
	if o.RulesFile, err = filepath.Abs(o.RulesFile); err == nil { // a printed plan is carried out in the module's directory
		o.OwnRules, err = os.ReadFile(o.RulesFile)
	}
	kind := config.Nearest(strings.ToLower(filepath.Base(o.RulesFile)), deploy.FeedOnlyRules, deploy.StandardRules, deploy.KeepRules)
	switch {
	case errors.Is(err, fs.ErrNotExist) && kind != "":
		return command.Usagef("--rules %s: there is no such file: did you mean %s?", filepath.Base(o.RulesFile), kind)
	case err != nil:
		return fmt.Errorf("--rules: %w", err)
	case !service.MatchString(config.BareRules(string(o.OwnRules))):
		return command.Usagef("--rules %s: it has no 'service cloud.firestore': these are no rules of a database", o.RulesFile)
	}
	for kind, ours := range map[string][]byte{deploy.StandardRules: module.FirestoreRules, deploy.FeedOnlyRules: module.FirestoreFeedOnlyRules} {
		if bytes.Equal(o.OwnRules, ours) {
			return command.Usagef("--rules=%s: these are our own: say --rules %s", o.RulesFile, kind)
		}
	}
	return nil
}

func (d *deployment) plan() (*deploy.Plan, error) {
	if err := d.fill(); err != nil {
		return nil, err
	}
	if _, err := fs.Stat(d.options.Source, "go.mod"); err != nil {
		return nil, command.Usagef("--source %s: must be the directory of the module that is deployed: %w", d.source, err)
	}
	return deploy.New(d.options)
}

// carryOut does what a plan says on this machine, and tells of each step.
func (d *deployment) carryOut(cmd *cobra.Command, plan *deploy.Plan, do func(*deploy.Machine, context.Context, *deploy.Plan) error) error {
	work, err := os.MkdirTemp("", "relationindex-deploy-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary directory
	bar := console.Start("asking what is there", 0)
	defer func() { bar.End() }()
	m := deploy.Local(cmd.Context(), d.source, work, func(t deploy.Told) {
		bar.End()
		at := fmt.Sprintf("%d/%d %s", t.Number, t.All, t.Step.Title)
		if t.Outcome == "" {
			bar = console.Start(at, 0)
		} else {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", at, t.Outcome)
		}
	})
	m.Said = func(note string) {
		bar.Above(func() { fmt.Fprintln(cmd.OutOrStdout(), console.Printable(note)) })
	}
	return do(m, cmd.Context(), plan)
}
