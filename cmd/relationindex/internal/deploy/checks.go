package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/rulestext"
)

// APIs lists the APIs that must be enabled in the project.
var APIs = []string{
	"artifactregistry.googleapis.com", "cloudbuild.googleapis.com", "cloudfunctions.googleapis.com",
	"cloudresourcemanager.googleapis.com", "cloudscheduler.googleapis.com", "eventarc.googleapis.com",
	"firebaserules.googleapis.com", "firestore.googleapis.com", "iam.googleapis.com", "identitytoolkit.googleapis.com",
	"logging.googleapis.com", "monitoring.googleapis.com", "pubsub.googleapis.com", "run.googleapis.com",
	"secretmanager.googleapis.com",
}

// maxUpload returns the maximum upload for a function, in bytes. The upload of our module has only the files that are
// linked into functions. An app's module includes its folder vendor, so the app's maximum is the limit of Cloud
// Functions ("Quotas", read November 2026: 500 MB with modules).
func (o Options) maxUpload() int64 {
	if o.Module != "" {
		return 500 << 20
	}
	return 2 << 20
}

// The names of checks that other checks need.
const (
	needGcloud   = "gcloud"
	needParts    = "components"
	needSignedIn = "signed in"
	needProject  = "project"
	needAPIs     = "APIs"
	needDatabase = "database"
	needFirebase = "firebase-tools"
	needConfig   = "configuration"
	needRegion   = "region"
)

// checks returns the checks of this machine, then the checks of the project. Each check follows the checks that it
// needs. The script checks that the resources with our names are ours.
func (o Options) checks() []Check {
	all := slices.Concat(o.localChecks(), o.toolChecks(), o.projectChecks())
	if o.Module != "" {
		all = append([]Check{o.moduleCheck()}, all...)
	}
	if o.RulesKind != KeepRules {
		all = append(all, o.rulesCheck())
	}
	return all
}

// token is the command that prints an access token. Requests without a gcloud command need the token.
var token = gcloud("auth", "print-access-token")

// localChecks returns the checks of the options and the files.
func (o Options) localChecks() []Check {
	return []Check{
		{
			Name: "no emulator", Want: "FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST are not set",
			Fix: "unset FIRESTORE_EMULATOR_HOST FIREBASE_AUTH_EMULATOR_HOST",
			holds: says(func(string) error {
				firestore, auth := o.Config.EmulatorHost, o.Config.AuthEmulatorHost
				return errors.Join(
					want(firestore == "", "FIRESTORE_EMULATOR_HOST=%q is set", firestore),
					want(auth == "", "FIREBASE_AUTH_EMULATOR_HOST=%q is set", auth))
			}),
		},
		{
			Name: needConfig, Want: "every RELATIONINDEX_ variable is within its rule, and " + fileIndexes + " has what they need",
			Fix: "correct the variables, or the file: go run ./cmd/relationindex config check",
			holds: says(func(string) error {
				if o.ConfigErr != nil {
					return o.ConfigErr
				}
				return errors.Join(config.CheckTests(o.Config), config.CheckIndexes(o.Config, o.Indexes))
			}),
		},
		{
			Name: "collections", Want: "the rules have a match /NAME/ for each collection that a variable renames, and the default name in no path",
			Fix: "rename the collections in a copy of " + fileRules + ", deploy the copy with firebase-tools, and add --rules keep",
			holds: says(func(string) error {
				if o.RulesKind == KeepRules {
					return nil
				}
				return rulestext.Check(o.Config, o.Rules)
			}),
		},
		{
			Name: needRegion, Want: "--region is --location, or one of its regions",
			Fix:   "choose a region of the location; you cannot change the location or the region later",
			holds: says(func(string) error { return checkRegion(o.Location, o.Region) }),
		},
	}
}

// framework is the package that the buildpack requires in the folder vendor of a module. The buildpack generates a
// program that imports the package. The buildpack downloads nothing.
const framework = "github.com/GoogleCloudPlatform/functions-framework-go/funcframework"

// moduleCheck returns the check that Google can build an app's module.
func (o Options) moduleCheck() Check {
	return Check{
		Name: "module", Want: "the directory of --module has a go.mod, and a folder vendor with its imports",
		Fix: "(cd '" + o.Module + "' && go mod vendor), with an import of " + framework + " in one of its packages, as examples/embed/cmd/functions has it",
		holds: says(func(string) error {
			var errs []error
			for _, name := range []string{"go.mod", "vendor/modules.txt", "vendor/" + framework} {
				_, err := os.Stat(filepath.Join(o.Module, name))
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		}),
	}
}

// toolChecks returns the checks of this machine's tools.
func (o Options) toolChecks() []Check {
	return []Check{
		{
			Name: needGcloud, Want: "gcloud runs", Ask: gcloud("version", `--format=value("Google Cloud SDK")`),
			Fix: "install the gcloud SDK: https://cloud.google.com/sdk/docs/install",
		},
		{
			Name: needParts, Want: "gcloud has its beta component, and alpha, whose commands for alert policies newer releases have without it", Needs: []string{needGcloud},
			Ask: gcloud("version", values("alpha", "beta")), Fix: "gcloud components install alpha beta",
			holds: says(func(answer string) error {
				return want(len(strings.Fields(answer)) == 2, "of alpha and beta it has only %q", answer)
			}),
		},
		{
			Name: needFirebase, Want: "firebase-tools runs: on PATH, or in web/node_modules, or by npx",
			Ask: []string{"firebase", "--version"}, Fix: "(cd web && npm ci)",
		},
		{
			Name: "upload", Want: fmt.Sprintf("at most %d MiB are uploaded for a function", o.maxUpload()>>20), Needs: []string{needGcloud},
			Fix: "run gcloud meta list-files-for-upload, and list the files that no function needs in .gcloudignore",
			holds: func(_ context.Context, m *Machine, _ string) error {
				if m.SourceErr != nil {
					return m.SourceErr
				}
				return want(m.SourceBytes <= o.maxUpload(), "%d bytes would be uploaded", m.SourceBytes)
			},
		},
		{
			Name: needSignedIn, Want: "gcloud is signed in", Ask: token, Fix: "gcloud auth login", Needs: []string{needGcloud},
			holds: says(func(answer string) error { return want(answer != "", "gcloud has no access token") }),
		},
	}
}

// projectChecks returns the checks of the project and its database.
func (o Options) projectChecks() []Check {
	return []Check{
		{
			Name: needProject, Want: "the project is active", Ask: gcloud("projects", "describe", o.Project, "--format=value(lifecycleState)"),
			Fix: "check the project id with gcloud projects list, and ask the project's owner for a role", Needs: []string{needSignedIn},
			holds: says(func(answer string) error { return want(answer == "ACTIVE", "project %s is %q", o.Project, answer) }),
		},
		{
			Name: needAPIs, Want: "the APIs are enabled", Ask: gcloud("services", "list", "--enabled", o.project(), "--format=value(config.name)"),
			Fix: o.enable(APIs), Needs: []string{needProject}, holds: says(o.checkAPIs),
		},
		{
			Name: "runtime", Want: o.Region + " offers " + runtime, Needs: []string{needAPIs},
			Ask:   gcloud("functions", "runtimes", "list", o.project(), o.region(), "--filter=environments:GEN_2", "--format=value(name)"),
			Fix:   "choose another region from: gcloud functions regions list",
			holds: lists(runtime, o.Region+" has no "+runtime+" for functions of the second generation"),
		},
		{
			Name: "scheduler", Want: o.Region + " has Cloud Scheduler, which calls Sweep", Needs: []string{needAPIs, needRegion},
			Ask:   gcloud("scheduler", "locations", "list", o.project(), "--format=value(locationId)"),
			Fix:   "choose another region of the location",
			holds: lists(o.Region, "Cloud Scheduler is not in "+o.Region),
		},
		o.quotaCheck(),
		{
			Name: needDatabase, Want: "the database is of native mode, in " + o.Location, Needs: []string{needAPIs},
			Ask:   gcloud("firestore", "databases", "describe", o.project(), o.database(), values("type", "locationId", "databaseEdition")),
			Fix:   shell(gcloud("firestore", "databases", "create", o.project(), o.database(), "--location="+o.Location, "--type=firestore-native", "--edition=standard")...),
			holds: says(o.checkDatabase),
		},
		o.alone(),
		o.oneRegion(needAPIs),
		o.indexesCheck(),
		o.sameVariables(),
	}
}

// alone returns the check that no other deployment has triggers on the database. With two
// deployments, each event would be handled twice.
func (o Options) alone() Check {
	const field = "eventTrigger.eventFilters"
	return Check{
		Name: "one system", Want: "no other deployment has triggers on the database",
		Ask: gcloud("functions", "list", "--v2", o.project(), "--flatten="+field+"[]",
			"--filter="+strings.Join([]string{"labels.relationindex:*", exactly(field+".attribute", "database"), exactly(field+".value", o.Config.DatabaseID())}, " AND "),
			"--format=value(labels.relationindex)"),
		Fix: "give this one a database of its own by RELATIONINDEX_DATABASE, or the name of the other by --name, or undeploy the other first", Needs: []string{needAPIs},
		holds: says(func(answer string) error {
			others := slices.DeleteFunc(strings.Fields(answer), func(mark string) bool { return mark == o.mark() })
			return want(len(others) == 0, "the database %s has functions that were deployed as %s", o.Config.DatabaseID(), strings.Join(slices.Compact(others), ", "))
		}),
	}
}

// oneRegion returns the check that no function of this deployment is in another region: the script sees one region alone.
func (o Options) oneRegion(needs string) Check {
	return Check{
		Name: "one region", Want: "no function of this deployment is in another region",
		Ask: gcloud("functions", "list", "--v2", o.project(), "--filter="+exactly("labels.relationindex", o.mark())+" AND labels.relationindex-flags:*", "--format=value(name.segment(3))"),
		Fix: "say --region as it was deployed; to move a deployment, undeploy it there first", Needs: []string{needs},
		holds: says(func(answer string) error {
			others := slices.DeleteFunc(strings.Fields(answer), func(region string) bool { return region == o.Region })
			return want(len(others) == 0, "it has functions in %s", strings.Join(slices.Compact(others), ", "))
		}),
	}
}

// sameVariables returns the check that a deployment changes a variable of the functions only if Differ lists the
// variable. So a shell that lacks a variable, or another machine's older file, does not undo an earlier deployment.
func (o Options) sameVariables() Check {
	return Check{
		Name: "variables", Want: "the functions run with the variables of this shell and " + envfile.EnvFile + ", except the variables in --differ",
		Ask: token, Fix: "ask for a role that reads the database", Needs: []string{needAPIs},
		holds: func(ctx context.Context, m *Machine, token string) error {
			live, err := o.google(m, token).variables(ctx)
			if errors.Is(err, errNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			var named, lines []string
			for _, d := range config.Differences(live, config.Stored(o.Config)) {
				if d.Tests { // an app sets this in Go, not by a variable
					continue
				}
				if !slices.Contains(o.Differ, d.Variable) {
					named, lines = append(named, d.Variable), append(lines, d.String())
				}
			}
			if len(named) == 0 {
				return nil
			}
			return problem{errors.New(strings.Join(lines, "\n")), "set the variables to the values of the functions, in the shell or in " + envfile.EnvFile + "; to change the functions' values with this deployment, add --differ " + strings.Join(named, ",")}
		},
	}
}

// quotaCheck returns the check that the quota of CPU of Cloud Run in the region allows the instances of each function: Cloud Run
// rejects a function whose instances could exceed it. If nobody answers, the check holds.
func (o Options) quotaCheck() Check {
	most, which := int64(0), ""
	for _, f := range o.functions(triggers.Table(o.Config)) {
		if milli := int64(f.Instances) * int64(f.MilliCPU); milli > most {
			most, which = milli, f.ID
		}
	}
	return Check{
		Name: "quota", Want: fmt.Sprintf("the quota of CPU of Cloud Run in the region is at least %d, the instances of %s", most/1000, which),
		Ask: token, Fix: "gcloud auth login", Needs: []string{needAPIs},
		holds: func(ctx context.Context, m *Machine, token string) error {
			milli, err := o.google(m, token).cpu(ctx, o.Region)
			if err != nil {
				fmt.Fprintln(m.Out, console.Printable("The quota of CPU is not known: "+err.Error()))
				return nil
			}
			if milli < 0 || milli >= most {
				return nil
			}
			return problem{
				fmt.Errorf("%s may have %d CPU, the quota is %d", which, most/1000, milli/1000),
				fmt.Sprintf("add --max-instances=%d, or raise the quota \"Total CPU allocation\" of the region: https://console.cloud.google.com/iam-admin/quotas?project=%s", max(1, milli/1000), o.Project),
			}
		},
	}
}

func (o Options) checkAPIs(answer string) error {
	on := strings.Fields(answer)
	missing := slices.DeleteFunc(slices.Clone(APIs), func(api string) bool { return slices.Contains(on, api) })
	if len(missing) == 0 {
		return nil
	}
	return problem{fmt.Errorf("not enabled: %s", strings.Join(missing, ", ")), o.enable(missing)}
}

// enable returns the command that enables APIs.
func (o Options) enable(apis []string) string {
	return shell(gcloud(slices.Concat([]string{"services", "enable"}, apis, []string{o.project()})...)...)
}

func (o Options) checkDatabase(answer string) error {
	words := append(strings.Split(answer, " "), "", "")
	kind, location, edition := words[0], words[1], words[2]
	switch {
	case edition == "ENTERPRISE":
		return problem{errors.New("the database is of the Enterprise edition, which makes no automatic indexes, and bills queries without an index by what they scan"), "use a database of the Standard edition"}
	case kind != "FIRESTORE_NATIVE":
		return problem{fmt.Errorf("the database is %s", kind), "use another project, or see: gcloud firestore databases update --help"}
	case location != o.Location:
		return problem{fmt.Errorf("the database is in %s, not in %s: its triggers would never fire", location, o.Location), "deploy with --location=" + location}
	default:
		return nil
	}
}

// multiRegions maps each multi-region of Firestore to the regions in it that hold
// all data and offer functions ("Locations",
// docs.cloud.google.com/firestore/native/docs/locations, read November 2026).
// nam5 also has us-central2, which is not public. nam7 is missing: Google names no place for its
// triggers ("Extend with Eventarc", docs.cloud.google.com/firestore/native/docs/eventarc, read November 2026).
var multiRegions = map[string][]string{
	"eur3": {"europe-west1", "europe-west4"},
	"nam5": {"us-central1"},
}

// checkRegion returns an error if a region is not in the database's location.
// Triggers are made in the database's location: a trigger elsewhere never fires.
// A function in another region would have a longer way to the database at each
// call.
func checkRegion(location, region string) error {
	if location == "nam7" {
		return errors.New("the database is in nam7, and Google names no place for its triggers: docs/unproven.md")
	}
	regions, multi := multiRegions[location]
	if !multi {
		regions = []string{location}
	}
	return want(slices.Contains(regions, region), "the database is in %s, but the functions would be in %s: must be %s", location, region, strings.Join(regions, " or "))
}

// says returns a Check.holds that passes only the answer to a function.
func says(holds func(answer string) error) func(context.Context, *Machine, string) error {
	return func(_ context.Context, _ *Machine, answer string) error { return holds(answer) }
}

// lists returns a Check.holds for a list with a word in it.
func lists(word, without string) func(context.Context, *Machine, string) error {
	return says(func(answer string) error { return want(slices.Contains(strings.Fields(answer), word), "%s", without) })
}

// want returns the formatted error if holds is false, else nil.
func want(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// removalChecks returns the checks of a removal.
func (o Options) removalChecks() []Check {
	all := slices.DeleteFunc(o.checks(), func(c Check) bool {
		return !slices.Contains([]string{needGcloud, needParts, needSignedIn, needProject}, c.Name)
	})
	return append(all, o.oneRegion(needProject))
}
