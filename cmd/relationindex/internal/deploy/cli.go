package deploy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/rulestext"
	"example.com/relationindex/internal/upload"
)

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newConfig(), newDeploy(), newUndeploy()}
}

func newDeploy() *cobra.Command {
	var d deployment
	var files string
	cmd := &cobra.Command{
		Use:   "deploy --project P --location L --region R",
		Short: "Install or update the system in a Google Cloud project",
		Long: `deploy makes the parts of the system in a Google Cloud project: service accounts and their
roles, indexes, functions, the scheduler's job, rules, metrics, alerts and a dashboard. It
runs a script of bash with gcloud and firebase-tools, and needs the module's directory.

First, deploy prints a summary and checks its requirements. If any are missing, deploy
lists them all, each with what to do, and changes nothing. The script leaves correct parts
alone, and a stop leaves what runs running. So you can run deploy again at any time.

Rules and indexes belong to the app too. If the database has ours, deploy writes neither. If
it has none, and neither users nor posts, deploy writes ours. Otherwise deploy stops, and
prints what is missing. It does not judge rules that stand beside ours.

--dry-run prints the summary and the script, and needs no network. With --files DIR, it also
writes DIR/deploy.sh and the files that the script reads:
INDEXES=write RULES=keep bash DIR/deploy.sh, in the module's directory, deploys. DIR then has
a key of tombstones: keep it out of repositories.

The functions get the RELATIONINDEX_ variables of relationindex.env; variables of this
shell take precedence. If the functions run with another value of a variable, deploy
stops, unless --differ names the variable.` + deployHelp,
		Example: `  relationindex deploy --dry-run --project p --location us-central1 --region us-central1
  relationindex deploy --project p --location eur3 --region europe-west1 --rules keep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if files != "" && !d.dryRun {
				return command.Usagef("--files %s: requires --dry-run, which prints the script that reads the files", files)
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
			return d.carryOut(cmd, plan)
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
	if err := (&Machine{}).check(cmd.Context(), plan.local()); err != nil {
		return err
	}
	if files != "" {
		if err := d.writeFiles(cmd.Context(), plan, files); err != nil {
			return fmt.Errorf("--files: %w", err)
		}
	}
	fmt.Fprint(cmd.OutOrStdout(), plan.Script)
	return nil
}

// writeFiles writes the script of a plan, and the files that it reads.
func (d *deployment) writeFiles(ctx context.Context, plan *Plan, dir string) error {
	source, _, err := d.digest(ctx)
	if err != nil {
		return err
	}
	plan.Files[fileSource] = []byte(source + "\n")
	// One file has the tombstone key, and others have names as an app's.
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("name a new directory, outside of any repository: %w", err)
	}
	return plan.WriteFiles(dir)
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
// digest covers both modules, because the app's is built with ours.
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
	f.StringVar(&d.options.Location, "location", "", "the database's location: a region, or nam5, eur3")
	f.StringVar(&d.options.Region, "region", "", "the functions' region: the database's region, or a region of its multi-region")
	f.StringVar(&d.options.Name, "name", DefaultName, "name of this system in the project")
	f.StringVar(&d.source, "source", ".", "the module's directory")
	f.BoolVar(&d.dryRun, "dry-run", false, "print the script, and run nothing; needs no network")
	for _, name := range []string{"project", "location", "region"} {
		_ = cmd.MarkFlagRequired(name) // the flags exist
	}
}

// addPlanFlags adds the flags that undeploy does not need.
func (d *deployment) addPlanFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.options.RulesKind, "rules", "", "standard, the default: our rules, and clients may read relations. feed-only: our rules, and clients read only through Feed. keep: deploy does not look at the database's rules")
	f.BoolVar(&d.options.Pace, "pace", false, "our rules limit each account's acts in an hour: see docs/rules.md; first release clients that write rates")
	command.AddDiffer(cmd, &d.options.Differ)
	f.StringArrayVar(&d.options.Notify, "notify", nil, "notification channel of the alerts, projects/P/notificationChannels/N; repeat the flag for more channels")
	f.IntVar(&d.options.MaxInstances, "max-instances", 0, "the most `instances` of each function, for a small quota of CPU; without the flag, 2 to 20")
	f.StringVar(&d.options.Module, "module", "", "instead of our functions, deploy the functions of the app's own Go module in this `directory`, such as a copy of examples/embed, with the relationindex.env of the directory; the module needs a folder vendor")
	f.BoolVar(&d.options.NoFeed, "no-feed", false, "deploy no function Feed, and remove an existing one")
}

// fill completes the options from the environment and the module.
func (d *deployment) fill() error {
	o := &d.options
	o.Config, o.ConfigErr = envfile.LoadIn(cmp.Or(o.Module, "."))
	if err := o.Validate(); err != nil {
		return command.Usage(err)
	}
	o.Indexes, o.Rules = module.FirestoreIndexes, module.FirestoreRules
	o.Source = os.DirFS(d.source)
	var err error
	if o.Module != "" { // commands run in the directory of our module
		if o.Module, err = filepath.Abs(o.Module); err != nil {
			return err
		}
	}
	if o.RulesKind == FeedOnlyRules {
		o.Rules = module.FirestoreFeedOnlyRules
	}
	if o.Pace {
		o.Rules, err = rulestext.Paced(o.Rules)
	}
	return err
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

// carryOut carries out a plan on this machine.
func (d *deployment) carryOut(cmd *cobra.Command, plan *Plan) error {
	work, err := os.MkdirTemp("", "relationindex-deploy-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // a temporary directory
	m := local(d.source, work, cmd.OutOrStdout())
	m.SourceDigest, m.SourceBytes, m.SourceErr = d.digest(cmd.Context())
	fmt.Fprintln(m.Out, "Reading what exists …")
	return m.Run(cmd.Context(), plan)
}
