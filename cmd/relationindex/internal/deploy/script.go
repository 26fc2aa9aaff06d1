package deploy

import (
	_ "embed" // lib.sh
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

//go:embed lib.sh
var library string

// script writes the commands of main, in order.
type script struct {
	strings.Builder
	Options
}

// do writes one command.
func (s *script) do(words ...string) { fmt.Fprintf(s, "  %s\n", shell(words...)) }

// phase begins a part of the script.
func (s *script) phase(title string) { fmt.Fprintf(s, "\n  # %s\n", title) }

// only writes a command that runs in the second pass alone, if a condition of the shell holds.
func (s *script) only(condition, title string, words ...string) {
	fmt.Fprintf(s, "  if %s && step %s; then\n    %s && echo 'done'\n  fi\n", condition, quote(title), shell(append([]string{"wait"}, words...)...))
}

// header returns the variables that the functions of the script read.
func (s *script) header() string {
	var out strings.Builder
	for _, v := range [][2]string{
		{"PROJECT", s.Project}, {"REGION", s.Region}, {"MARK", s.mark()}, {"SECRET", s.secret()}, {"FIREBASE_TOOLS", FirebaseTools},
	} {
		fmt.Fprintf(&out, "%s=%s\n", v[0], literal(v[1]))
	}
	return out.String()
}

// deployment writes the steps of a deployment. A stop after any of its parts leaves what runs running: accounts and roles come
// minutes before what uses them, functions before the rules that let clients write, and what only tells people comes last.
func (p *Plan) deployment() error {
	s := &script{Options: p.options}
	s.phase("Accounts and roles. New ones take minutes to be known everywhere: indexes come between them and their first use.")
	s.accounts()
	s.phase("Indexes and time-to-live policies. Firestore builds indexes in the background. firebase-tools deletes none.")
	s.only(`[ "$INDEXES" = write ]`, "indexes, and time-to-live policies", "firebase", "deploy", "--only=firestore:indexes", "--config=$WORK/firebase.json")
	s.phase("Functions. Without its invoker, a function rejects its events, which Eventarc delivers again for 24 hours.")
	for _, f := range p.functions {
		s.deploy(f)
	}
	if needless := p.needless(); len(needless) > 0 {
		s.gone("function", s.mark()+" ", needless, "gcloud", "functions", "delete", "{}", "--gen2", s.region())
	}
	s.phase("Sweep's schedule. Without it, a job whose event was lost waits for ever.")
	s.sweep()
	s.phase("Rules: from here on, clients write.")
	if s.RulesKind != KeepRules {
		s.only(`[ "$RULES" = write ]`, "rules "+p.rulesTitle(), "firebase", "deploy", "--only=firestore:rules", "--config=$WORK/firebase.json")
	}
	if !s.NoFeed {
		s.phase("Feed's opening. Clients prove themselves by Firebase ID tokens, which Cloud Run does not know.")
		feed := s.function(triggers.Feed)
		s.do("ensure", "open", feed, "", "true", "gcloud", "run", "services", "update", feed, s.region(), "--no-invoker-iam-check")
	}
	s.phase("Metrics, alerts and the dashboard.")
	if err := p.watch(s); err != nil {
		return err
	}
	if s.NoFeed {
		s.phase("Feed's account, which an earlier deployment had.")
		s.take(serviceAccount{which: accountFeed, roles: s.feedRoles()})
		s.gone("account", s.marked(), []string{s.email(accountFeed)}, "gcloud", "iam", "service-accounts", "delete", "{}")
	}
	rules := "keep"
	if s.RulesKind != KeepRules {
		rules = "${RULES:?write to replace all rules of the database by $WORK/firestore.rules, or keep}"
	}
	p.Script = p.text(s, `grep -q '^module example.com/relationindex$' go.mod || { echo "run this in the directory of relationindex" >&2; exit 2; }
PATH=$PATH:$PWD/web/node_modules/.bin
WORK=$(dirname "$0")
# What the program finds out before: write, or keep what is there.
INDEXES=${INDEXES:?write, or keep if the database has all indexes of $WORK/firestore.indexes.json}
RULES=`+rules+`
case $INDEXES-$RULES in write-write | write-keep | keep-write | keep-keep) ;; *) echo "INDEXES and RULES must be write or keep" >&2; exit 2 ;; esac
SOURCE=$(cat "$WORK/source")
DEPLOYED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
`)
	return nil
}

// retired are functions of earlier commits.
var retired = []string{"OnBlockCreated", "OnCommentCreated"}

// needless returns the functions that an earlier deployment may have, and this one does not need. Others with the deployment's mark
// stay: a newer release may have made them.
func (p *Plan) needless() (all []string) {
	for _, name := range append(triggers.Names(), retired...) {
		id := p.options.function(name)
		if !slices.ContainsFunc(p.functions, func(f function) bool { return f.ID == id }) {
			all = append(all, id)
		}
	}
	return all
}

// gone writes a step that deletes what is ours of some names.
func (s *script) gone(kind, ours string, names []string, remove ...string) {
	s.do(slices.Concat([]string{"gone", kind, ours}, names, []string{"::"}, remove)...)
}

// accounts writes the steps for service accounts, the key of tombstones, and roles.
func (s *script) accounts() {
	fmt.Fprintf(s, "  if [ \"$PASS\" = make ]; then number=$(%s); fi\n", shell("gcloud", "projects", "describe", s.Project, "--format=value(projectNumber)"))
	// Google makes its agents at their first use, which is too late for the roles that they need.
	for _, service := range []string{"cloudfunctions.googleapis.com", "pubsub.googleapis.com"} {
		s.do("ensure", "agent", service, "", "", "gcloud", "beta", "services", "identity", "create", "--service="+service)
	}
	accounts := s.serviceAccounts()
	for _, a := range accounts {
		about := s.marked() + a.what
		s.do("ensure", "account", s.email(a.which), s.marked(), about,
			"gcloud", "iam", "service-accounts", "create", s.Name+"-"+a.which, "--display-name="+s.Name+"-"+a.which, "--description="+about,
			"::", "gcloud", "iam", "service-accounts", "update", s.email(a.which), "--description="+about)
	}
	if !s.NoFeed {
		const about = "deployed by relationindex: Feed asks whether tokens are revoked, by firebaseauth.users.get"
		role := []string{feedRole, "--title=relationindex Feed", "--stage=GA", "--permissions=firebaseauth.users.get", "--description=" + about}
		s.do(append(append(append([]string{"ensure", "role", feedRole, "deployed by relationindex: ", about, "gcloud", "iam", "roles", "create"}, role...),
			"::", "gcloud", "iam", "roles", "update"), role...)...)
	}
	// The key belongs to the database, not to the deployment: a deployment under another name uses the same. No deployment
	// removes it, because tombstones mean nothing without it. A later deployment adds no other version.
	s.do("ensure", "secret", s.secret(), "", "", "gcloud", "secrets", "create", s.secret(), "--replication-policy=user-managed", "--locations="+s.Region)
	fmt.Fprintf(s, "  if [ \"$PASS\" = make ]; then ")
	s.do("ensure", "version", config.TombstoneVersion, "", "", "gcloud", "secrets", "versions", "add", s.secret(), "--data-file=$WORK/tombstone-key")
	fmt.Fprintf(s, "  else ALL=$((ALL + 1)); fi\n")
	for _, a := range accounts {
		for _, role := range a.roles {
			s.do("bind", "add", role, "serviceAccount:"+s.email(a.which), s.condition(role), "projects", "::", s.Project)
		}
	}
	s.do("bind", "add", roleKey, "serviceAccount:"+s.email(accountFunctions), "None", "secrets", "::", s.secret())
	// In a project whose Pub/Sub agent is older than April 8, 2021, triggers are silent without this role ("Roles and
	// permissions for Cloud Run functions targets" of Eventarc, read November 2026).
	s.phase("The agent of Pub/Sub signs the pushes of triggers: projects that had it before April 8, 2021 need this role.")
	fmt.Fprintf(s, "  bind add roles/iam.serviceAccountTokenCreator \"serviceAccount:service-$number@gcp-sa-pubsub.iam.gserviceaccount.com\" None projects :: %s\n", s.Project)
}

// roleKey lets the functions read the key of tombstones.
const roleKey = "roles/secretmanager.secretAccessor"

// condition returns the condition of a role in the project.
func (o Options) condition(role string) string {
	if strings.HasPrefix(role, "roles/datastore.") {
		return o.thisDatabase()
	}
	return "None"
}

// deploy writes the steps for a function.
func (s *script) deploy(f function) {
	flags := s.flags(f)
	sum := digest(flags...)
	words := append([]string{"ensure", "function", f.ID, s.mark() + " ", s.mark() + " $SOURCE " + sum + " ACTIVE", "gcloud", "functions", "deploy", f.ID, "--gen2", s.region()}, flags...)
	s.do(append(words, "--update-labels=relationindex="+s.mark()+",relationindex-source=$SOURCE,relationindex-flags="+sum)...)
	if !f.Public {
		s.do("bind", "add", "roles/run.invoker", "serviceAccount:"+s.email(accountTriggers), "", "run", "services", "::", f.ID, s.region())
	}
}

// sweep writes the step for the job of Cloud Scheduler that calls Sweep every minute.
func (s *script) sweep() {
	sweep := s.Name + "-sweep"
	job := []string{
		"--location=" + s.Region, "--schedule=* * * * *", "--time-zone=Etc/UTC", "--http-method=post", "--oidc-service-account-email=" + s.email(accountTriggers),
		fmt.Sprintf("--attempt-deadline=%ds", int(triggers.SweepTimeout.Seconds())), "--max-retry-attempts=3", "--min-backoff=5s", "--max-backoff=20s",
	}
	about := s.marked() + "wakes jobs whose event was lost or whose step died; " + digest(job...)
	fmt.Fprintf(s, "  sweep() {\n    local uri\n    uri=$(%s) || return\n    gcloud scheduler jobs \"$1\" http %s \"--uri=$uri\" \"--oidc-token-audience=$uri\"\n  }\n",
		shell("gcloud", "functions", "describe", sweep, "--gen2", s.region(), "--format=value(serviceConfig.uri)"), shell(append([]string{sweep, "--description=" + about}, job...)...))
	s.do("ensure", "job", sweep, s.marked(), about, "sweep", "create", "::", "sweep", "update")
}

// take writes the steps that take the roles of an account that is ours.
func (s *script) take(a serviceAccount) {
	fmt.Fprintf(s, "  if ours account %s; then\n", shell(s.email(a.which), s.marked()))
	for _, role := range a.roles {
		s.do("bind", "remove", role, "serviceAccount:"+s.email(a.which), "", "projects", "::", s.Project)
	}
	if a.which == accountFunctions {
		fmt.Fprintf(s, "  if ours secret %s ''; then\n", literal(s.secret()))
		s.do("bind", "remove", roleKey, "serviceAccount:"+s.email(a.which), "", "secrets", "::", s.secret())
		fmt.Fprint(s, "  fi\n")
	}
	fmt.Fprint(s, "  fi\n")
}

func (o Options) feedRoles() []string {
	o.NoFeed = false
	all := o.serviceAccounts()
	return all[len(all)-1].roles
}

// removal writes the steps that remove a deployment: functions first, so that no event finds half of it, and roles before their
// accounts. Only what has the deployment's mark is removed. If there is nothing, the script fails.
func (p *Plan) removal() {
	s := &script{Options: p.options}
	s.NoFeed = false
	in := "--location=" + s.Region
	all := []string{"*"}
	s.gone("function", s.mark()+" ", all, "gcloud", "functions", "delete", "{}", "--gen2", s.region())
	s.gone("job", s.marked(), all, "gcloud", "scheduler", "jobs", "delete", "{}", in)
	s.gone("dashboard", s.mark()+" ", all, "dashboards", "delete", "{}")
	s.gone("policy", s.mark()+" ", all, "policies", "delete", "{}")
	s.gone("metric", s.marked(), all, "gcloud", "logging", "metrics", "delete", "{}")
	for _, a := range s.serviceAccounts() {
		s.take(a)
	}
	s.gone("account", s.marked(), all, "gcloud", "iam", "service-accounts", "delete", "{}")
	fmt.Fprintf(s, "  if [ \"$PASS-$REMOVED\" = make-0 ]; then echo %s >&2; exit 1; fi\n", literal("Nothing in "+s.Region+" was deployed as "+s.mark()+". Check --name, --region and RELATIONINDEX_DATABASE."))
	p.Script = p.text(s, "")
}

// text returns the whole script.
func (p *Plan) text(s *script, more string) string {
	var out strings.Builder
	out.WriteString("#!/usr/bin/env bash\n")
	for line := range strings.Lines(p.Summary()) {
		fmt.Fprint(&out, "# ", line)
	}
	fmt.Fprintf(&out, "#\n# It may be run again, also after an interruption. Before, the program checks:\n")
	for _, c := range p.Checks {
		fmt.Fprintf(&out, "# * %s\n", c.Want)
	}
	fmt.Fprintf(&out, "set -euo pipefail\n%s%s%s\nmain() {%s}\n\nboth\n", s.header(), more, library, s)
	return out.String()
}
