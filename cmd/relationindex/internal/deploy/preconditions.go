package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/internal/config"
)

// Precondition is something that must hold before anything is changed.
type Precondition struct {
	// Name is what others need it by.
	Name string `json:"name"`
	// Asks is the question.
	Asks string `json:"asks"`
	// Command answers it. None: this program answers it itself.
	Command *tool.Command `json:"command,omitempty"`
	// Rule is what must be true of the answer.
	Rule string `json:"rule"`
	// Fix is what to do when it is not.
	Fix string `json:"fix"`
	// Needs are those that must hold before it can be asked.
	Needs []string `json:"needs,omitempty"`

	// check applies the rule. The answer is the command's output without the line's
	// end; the error says what is wrong.
	check func(ctx context.Context, machine *Machine, answer string) error
}

// problem is an error that knows better than the precondition what to do.
type problem struct {
	error
	fix string
}

// apis are what must be enabled in the project.
var apis = []string{
	"artifactregistry.googleapis.com", "cloudbuild.googleapis.com", "cloudfunctions.googleapis.com",
	"cloudresourcemanager.googleapis.com", "cloudscheduler.googleapis.com", "eventarc.googleapis.com",
	"firebaserules.googleapis.com", "firestore.googleapis.com", "iam.googleapis.com", "identitytoolkit.googleapis.com",
	"logging.googleapis.com", "monitoring.googleapis.com", "pubsub.googleapis.com", "run.googleapis.com",
	"secretmanager.googleapis.com",
}

const maxUpload = 2 << 20 // bytes; Cloud Functions takes 100 MB, but only what is linked belongs there

// The names of preconditions that others need.
const (
	needGcloud   = "gcloud"
	needAlpha    = "gcloud alpha"
	needSignedIn = "signed in"
	needProject  = "project"
	needAPIs     = "APIs"
	needDatabase = "database"
	needFirebase = "firebase-tools"
	needConfig   = "configuration"
)

// preconditions are what this machine knows, and then what the project does, each
// after those that it needs. That what has our names is ours follows from the steps:
// see [Machine.Deploy].
func (o Options) preconditions() []Precondition {
	token := tool.Gcloud("auth", "print-access-token")
	all := []Precondition{
		{
			Name: "no emulator", Asks: "does the environment name an emulator?",
			Rule: "FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST are not set",
			Fix:  "unset FIRESTORE_EMULATOR_HOST FIREBASE_AUTH_EMULATOR_HOST",
			check: says(func(string) error {
				firestore, auth := o.Config.EmulatorHost, o.Config.AuthEmulatorHost
				return errors.Join(
					want(firestore == "", "FIRESTORE_EMULATOR_HOST=%q is set", firestore),
					want(auth == "", "FIREBASE_AUTH_EMULATOR_HOST=%q is set", auth))
			}),
		},
		{
			Name: needConfig, Asks: "would the functions start with these variables?",
			Rule: "every RELATIONINDEX_ variable is within its rule, and firestore.indexes.json has what they need",
			Fix:  "correct the variables, or the file: go run ./cmd/relationindex config check",
			check: says(func(string) error {
				if o.ConfigErr != nil {
					return o.ConfigErr
				}
				return o.Config.CheckIndexes(o.Indexes)
			}),
		},
		{
			Name: "collections", Asks: "do the rules to be deployed have the collections that are renamed?",
			Rule: "for each of RELATIONINDEX_USERS, RELATIONINDEX_POSTS and RELATIONINDEX_FOLLOWERS that is set they have match /NAME/, and the default name in no path: no proof, but a sign",
			Fix:  "rename the collections in " + fileRules + ", or in the file of --rules; if the default name is a collection of your app's own, deploy the rules with firebase-tools, and say --rules keep",
			check: says(func(string) error {
				if o.RulesFile == KeepRules {
					return nil
				}
				return o.Config.CheckRules(o.rules())
			}),
		},
		{
			Name: "region", Asks: "do the functions belong where the database is?",
			Rule:  "--region is --location, or one of its regions",
			Fix:   "give the region that goes with the location; neither can be changed later",
			check: says(func(string) error { return checkRegion(o.Location, o.Region) }),
		},
		{
			Name: needGcloud, Asks: "is there a gcloud?",
			Command: new(tool.Gcloud("version", `--format=value("Google Cloud SDK")`)),
			Rule:    "it runs", Fix: "install the gcloud SDK: https://cloud.google.com/sdk/docs/install",
		},
		{
			Name: needAlpha, Asks: "has gcloud its alpha commands, for alert policies?",
			Command: new(tool.Gcloud("version", "--format=value(alpha)")),
			Rule:    "there is a version", Fix: "gcloud components install alpha", Needs: []string{needGcloud},
			check: says(func(answer string) error { return want(answer != "", "they are not installed") }),
		},
		{
			Name: needFirebase, Asks: "is there a firebase-tools?",
			Command: new(tool.Command{Args: []string{"firebase", "--version"}}),
			Rule:    "it runs: on PATH, or in web/node_modules, or by npx", Fix: "(cd web && npm ci)",
		},
		{
			Name: "upload", Asks: "what would be uploaded?",
			Rule: "at most 2 MiB", Fix: "look at gcloud meta list-files-for-upload, and leave out by .gcloudignore what is not linked",
			Needs: []string{needGcloud},
			check: func(_ context.Context, m *Machine, _ string) error {
				if m.SourceErr != nil {
					return m.SourceErr
				}
				return want(m.SourceBytes <= maxUpload, "%d bytes would be uploaded", m.SourceBytes)
			},
		},
		{
			Name: needSignedIn, Asks: "is gcloud signed in?", Command: &token,
			Rule: "it has an access token", Fix: "gcloud auth login", Needs: []string{needGcloud},
			check: says(func(answer string) error { return want(answer != "", "it has no access token") }),
		},
		{
			Name: needProject, Asks: "is the project there?",
			Command: new(tool.Gcloud("projects", "describe", o.Project, "--format=value(lifecycleState)")),
			Rule:    "ACTIVE", Fix: "gcloud projects list, and ask its owner for a role", Needs: []string{needSignedIn},
			check: says(func(answer string) error { return want(answer == "ACTIVE", "project %s is %q", o.Project, answer) }),
		},
		{
			Name: needAPIs, Asks: "which APIs are enabled?",
			Command: new(tool.Gcloud("services", "list", "--enabled", o.project(), "--format=value(config.name)")),
			Rule:    strings.Join(apis, " "), Fix: o.enable(apis), Needs: []string{needProject},
			check: says(func(answer string) error { return checkAPIs(o, answer) }),
		},
		{
			Name: "runtime", Asks: "is " + runtime + " offered in " + o.Region + "?",
			Command: new(tool.Gcloud("functions", "runtimes", "list", o.project(), o.region(), "--filter=environments:GEN_2", "--format=value(name)")),
			Rule:    runtime + " is one of them", Fix: "gcloud functions regions list, and take another region", Needs: []string{needAPIs},
			check: says(func(answer string) error {
				return want(slices.Contains(strings.Fields(answer), runtime), "%s has no %s for functions of the second generation", o.Region, runtime)
			}),
		},
		{
			Name: needDatabase, Asks: "what is the database, and where?",
			Command: new(tool.Gcloud("firestore", "databases", "describe", o.project(), o.database(), `--format=value[separator=" "](type,locationId)`)),
			Rule:    "FIRESTORE_NATIVE " + o.Location,
			Fix:     tool.Gcloud("firestore", "databases", "create", o.project(), o.database(), "--location="+o.Location, "--type=firestore-native").String(), Needs: []string{needAPIs},
			check: says(func(answer string) error { return checkDatabase(o, answer) }),
		},
		o.alone("none, or "+o.mark()+": with two, each event would be handled twice",
			"give this one a database of its own by RELATIONINDEX_DATABASE, or the name of the other by --name, or undeploy the other first", needAPIs),
		o.indexes(),
		o.sameVariables(token),
	}
	if o.RulesFile == KeepRules {
		return all
	}
	return append(all, Precondition{
		Name: "rules", Asks: "which rules has the database now? (Security Rules API, with this token)", Command: &token,
		Rule:  "none or locked ones, of a database without users and posts; those that are deployed, an earlier text of a --rules FILE of the same name, or those of --replace-rules",
		Fix:   "deploy says which they are, and how to go on",
		Needs: []string{needDatabase},
		check: func(ctx context.Context, m *Machine, token string) error {
			live, err := tool.LiveRules(ctx, m.RulesAPI, o.Project, o.Config.Database, token)
			switch {
			case errors.Is(err, tool.ErrNoRules), err == nil && isLocked(live):
				return o.mayOpen(ctx, m, token, live)
			case err != nil:
				return err
			}
			return o.mayReplace(live)
		},
	})
}

// alone is that no other deployment has triggers on the database.
func (o Options) alone(rule, fix, needs string) Precondition {
	return Precondition{
		Name: "one system", Asks: "which deployments have triggers on the database?",
		Command: new(tool.Gcloud("functions", "list", "--v2", o.project(), "--flatten=eventTrigger.eventFilters[]",
			tool.Filter("labels."+labelName+":*", tool.Exactly("eventTrigger.eventFilters.attribute", "database"), tool.Exactly("eventTrigger.eventFilters.value", o.Config.DatabaseID())),
			"--format=value(labels."+labelName+")")),
		Rule: rule, Fix: fix, Needs: []string{needs},
		check: says(func(answer string) error {
			others := slices.DeleteFunc(strings.Fields(answer), func(mark string) bool { return mark == o.mark() })
			return want(len(others) == 0, "the database %s has functions that were deployed as %s", o.Config.DatabaseID(), strings.Join(slices.Compact(others), ", "))
		}),
	}
}

// sameVariables is that the functions would not run with other variables than now, but for those that
// this deployment says it changes. So neither a shell that lacks one nor another machine's older
// file undoes what somebody has deployed.
func (o Options) sameVariables(token tool.Command) Precondition {
	return Precondition{
		Name: "variables", Asks: "which variables do the functions run with? (Firestore, with this token)", Command: &token,
		Rule:  "none, or those of this shell and " + config.EnvFile + ", but for those of --differ",
		Fix:   "deploy says which differ",
		Needs: []string{needAPIs},
		check: func(ctx context.Context, m *Machine, token string) error {
			live, stored, err := tool.LiveVariables(ctx, m.FirestoreAPI, o.Project, o.Config.DatabaseID(), token)
			if err != nil || !stored {
				return err
			}
			var named, lines []string
			for _, d := range config.Differences(live, o.Config.Stored()) {
				if !slices.Contains(o.Differ, d.Variable) {
					named, lines = append(named, d.Variable), append(lines, d.String())
				}
			}
			if len(named) == 0 {
				return nil
			}
			return problem{errors.New(strings.Join(lines, "\n")), "set them as the functions have them, in the shell or in " + config.EnvFile + "; if this deployment is to change them, say --differ " + strings.Join(named, ",")}
		},
	}
}

func checkAPIs(o Options, answer string) error {
	on := strings.Fields(answer)
	missing := slices.DeleteFunc(slices.Clone(apis), func(api string) bool { return slices.Contains(on, api) })
	if len(missing) == 0 {
		return nil
	}
	return problem{fmt.Errorf("not enabled: %s", strings.Join(missing, ", ")), o.enable(missing)}
}

// enable is the command that enables APIs.
func (o Options) enable(apis []string) string {
	return tool.Gcloud(slices.Concat([]string{"services", "enable"}, apis, []string{o.project()})...).String()
}

func checkDatabase(o Options, answer string) error {
	kind, location, _ := strings.Cut(answer, " ")
	switch {
	case kind != "FIRESTORE_NATIVE":
		return problem{fmt.Errorf("the database is %s", kind), "take another project, or see: gcloud firestore databases update --help"}
	case location != o.Location:
		return problem{fmt.Errorf("the database is in %s, not in %s: its triggers would never fire", location, o.Location), "deploy with --location=" + location}
	default:
		return nil
	}
}

// says is the check of an answer.
func says(check func(answer string) error) func(context.Context, *Machine, string) error {
	return func(_ context.Context, _ *Machine, answer string) error { return check(answer) }
}

// want is an error unless something holds.
func want(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}
