package deploy

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// DefaultName is the name of a deployment without --name.
const DefaultName = "relationindex"

// The values of Options.RulesKind. With feed-only rules, clients read their feed through Feed alone. "" means standard. Keep leaves
// the database's rules as they are.
const (
	StandardRules = "standard"
	FeedOnlyRules = "feed-only"
	KeepRules     = "keep"
)

// Options say what to deploy, and where.
type Options struct {
	// Project is the id of the Google Cloud project.
	Project string
	// Location is the database's location: a region, or a multi-region such as nam5.
	Location string
	// Region is the functions' region: the database's region, or a region of its multi-region.
	Region string
	// Name is the deployment's name, such as [DefaultName]. Each deployment in a project
	// needs its own name, and its own database, which Config names.
	Name string
	// NoFeed leaves the function Feed out, and removes an existing Feed of this deployment.
	NoFeed bool
	// MaxInstances is the most instances of each function, where the table of triggers has more: a project's quota of CPU
	// may be small. 0: as the table.
	MaxInstances int
	// Notify lists the notification channels of the alerts, as
	// projects/P/notificationChannels/N. None: alerts are only shown in the console.
	Notify []string

	// Config is the functions' configuration, and ConfigErr the error of loading it. The
	// plan sets the project of Config to Project.
	Config    schema.Config
	ConfigErr error
	// Differ lists variables that may differ from the values of the deployed functions.
	Differ []string
	// Indexes and Rules are the texts of firestore.indexes.json and firestore.rules. With
	// [FeedOnlyRules], Rules is the text of firestore.feed-only.rules.
	Indexes, Rules []byte
	// RulesKind is "", [StandardRules], [FeedOnlyRules] or [KeepRules]. With [KeepRules], nothing looks at the database's rules.
	RulesKind string
	// Pace says that Rules comes from [rulestext.Paced].
	Pace bool
	// Module is the absolute path of an app's own module, to deploy its functions. "": Source's functions are deployed.
	Module string
	// Source is the module's directory, with the folder monitoring in it. Commands run there.
	Source fs.FS
}

// name matches a deployment's name. The longest account, NAME-functions, may have
// 30 characters, and the name must be valid as a label's value.
var name = regexp.MustCompile(`^[a-z][a-z0-9-]{1,17}[a-z0-9]$`)

var (
	project = regexp.MustCompile(`^[a-z0-9:.-]+$`)
	place   = regexp.MustCompile(`^[a-z][a-z0-9-]*[0-9]$`)
	capital = regexp.MustCompile(`[A-Z]`)
	channel = regexp.MustCompile(`^projects/[^/\s]+/notificationChannels/[0-9]+$`)
)

// Validate reports every invalid option. Checks of the plan cover the options that need a request to the
// project.
func (o Options) Validate() error {
	var errs []error
	for _, v := range []struct {
		flag, value string
		rule        *regexp.Regexp
		want        string
	}{
		{"--project", o.Project, project, "the id of a project"},
		{"--location", o.Location, place, "where the database is, such as nam5 or europe-west1"},
		{"--region", o.Region, place, "where the functions are to be, such as us-central1"},
		{"--name", o.Name, name, "3 to 19 lower case letters, digits and hyphens, with a letter first"},
	} {
		errs = append(errs, want(v.rule.MatchString(v.value), "%s=%q: must be %s", v.flag, v.value, v.want))
	}
	hint := "deploy writes no rules of an app: docs/operations/existing-app.md"
	if kind := config.Nearest(strings.ToLower(o.RulesKind), FeedOnlyRules, StandardRules, KeepRules); kind != "" {
		hint = "did you mean " + kind + "?"
	}
	errs = append(errs,
		want(len(o.mark()) <= maxLabel, "--name=%q with RELATIONINDEX_DATABASE=%q: must have at most %d characters together", o.Name, o.Config.Database, maxLabel-1),
		want(slices.Contains([]string{"", StandardRules, FeedOnlyRules, KeepRules}, o.RulesKind), "--rules=%q: must be standard, feed-only or keep; %s", o.RulesKind, hint),
		want(!o.NoFeed || o.RulesKind != FeedOnlyRules, "--rules=feed-only with --no-feed: nobody could read a feed"),
		want(o.MaxInstances >= 0 && o.MaxInstances <= 1000, "--max-instances=%d: must be the most instances of a function, 1 to 1,000", o.MaxInstances),
		want(!o.Pace || o.RulesKind != KeepRules, "--pace and --rules=keep exclude each other, because keep deploys no rules: make hasPace return true in your own rules, and leave --pace out"),
	)
	if err := config.CheckNames(o.Differ); err != nil {
		errs = append(errs, fmt.Errorf("--differ: %w", err))
	}
	for _, c := range o.Notify {
		errs = append(errs, want(channel.MatchString(c), "--notify=%q: must be projects/P/notificationChannels/N, as gcloud beta monitoring channels list prints it", c))
	}
	return errors.Join(errs...)
}

// maxLabel is the most characters that the value of a label may have.
const maxLabel = 63

// mark returns the mark of this deployment's resources: NAME_DATABASE, or NAME if the database is (default).
// No name contains _. A deployment for another database has another mark. So a shell that lacks
// RELATIONINDEX_DATABASE does not move a system to (default).
func (o Options) mark() string {
	if o.Config.Database == "" {
		return o.Name
	}
	return o.Name + "_" + o.Config.Database
}

// marked returns the prefix of the descriptions of this deployment's resources.
func (o Options) marked() string { return "deployed by relationindex as " + o.mark() + ": " }

// function returns the name of a deployed function and of its Cloud Run service:
// name-on-follower-written.
func (o Options) function(entryPoint string) string {
	return o.Name + strings.ToLower(capital.ReplaceAllString(entryPoint, "-$0"))
}

func (o Options) project() string  { return "--project=" + o.Project }
func (o Options) region() string   { return "--region=" + o.Region }
func (o Options) database() string { return "--database=" + o.Config.DatabaseID() }
