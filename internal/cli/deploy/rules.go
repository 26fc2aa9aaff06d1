package deploy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"example.com/relationindex/internal/runtime/config"
)

// rulesAPI is the Security Rules API. Neither gcloud nor firebase-tools prints rules.
const rulesAPI = "https://firebaserules.googleapis.com"

// rulesPatience is long for two small requests.
const rulesPatience = 30 * time.Second

var errNoRules = errors.New("the database has no rules")

// liveRules are the rules of a database, "" being (default), read with an access
// token. errNoRules if there are none. Releases are named as firebase-tools 15
// names them (lib/rulesDeploy.js).
func liveRules(ctx context.Context, base, project, database, token string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, rulesPatience)
	defer cancel()
	name := "cloud.firestore"
	if database != "" {
		name += "/" + database
	}
	var release struct{ RulesetName string }
	if err := getJSON(ctx, base+"/v1/projects/"+project+"/releases/"+name, project, token, &release); err != nil {
		return "", err
	}
	var set struct {
		Source struct{ Files []struct{ Content string } }
	}
	if err := getJSON(ctx, base+"/v1/"+release.RulesetName, project, token, &set); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range set.Source.Files {
		text.WriteString(f.Content)
	}
	return text.String(), nil
}

func getJSON(ctx context.Context, url, project, token string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("X-Goog-User-Project", project)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	switch {
	case err != nil:
		return fmt.Errorf("GET %s: %w", url, err)
	case res.StatusCode == http.StatusNotFound:
		return errNoRules
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("GET %s: %s: %.300s", url, res.Status, body)
	}
	return json.Unmarshal(body, into)
}

var blank = regexp.MustCompile(`\s+`)

// locked are the rules of a database that was made in production mode, without
// comments and blanks: nobody may do anything, and nothing is lost with them.
var locked = blank.ReplaceAllString(`rules_version='2'; service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write: if false; } } }`, "")

// mayReplace is an error if something may be lost when the rules of the database are
// replaced by those of the deployment. Nothing is if they are the same, those of a
// new database, or an earlier text of the person's file of that name; and nothing that the
// person does not know who gives their digest.
//
// Feed-only rules are never replaced by a deployment that says nothing of rules: it
// has forgotten to, and would show readers who else follows.
func (o Options) mayReplace(live string) error {
	bare := blank.ReplaceAllString(config.BareRules(live), "")
	sum := digest(live)[:12]
	what, fix := "", "say --replace-rules="+sum+"; or --rules keep, and they stay"
	kind, ours := o.liveKind(live)
	name, file := strings.CutPrefix(kind, kindFile)
	switch {
	case live == string(o.rules()), bare == locked, "rules_version='2';"+bare == locked:
		return nil
	case ours && kind == kindFeedOnly && o.RulesFile == "":
		what = "those of --rules feed-only"
		fix = "say --rules feed-only again; or, so that clients read relations, --rules standard --replace-rules=" + sum
	case o.ReplaceRules == sum, ours && file && kind == o.rulesKind():
		return nil
	case ours && file:
		what = "those of a file, by --rules " + name
	case ours && kind != o.rulesKind():
		what = "the others of ours, " + map[string]string{kindStandard: "by which clients read relations", kindFeedOnly: "by which they do not"}[kind]
	case ours:
		what = "ours of another release"
		fix = "read what rules of this release refuse, docs/operations/upgrade.md, and " + fix
	default:
		what = "rules that are not ours"
		fix = "copy the match blocks of " + fileRules + " into the database's rules and deploy with --rules FILE, and when nothing of theirs is missing there, " + fix
	}
	where := "https://console.firebase.google.com/project/" + o.Project + "/firestore/databases/" + cmp.Or(o.Config.Database, "-default-") + "/rules"
	return problem{fmt.Errorf("the database has %s; deploying would replace them all: %s", what, where), fix}
}

// liveKind is the kind of rules that this deployment wrote, of any release, and
// nobody has changed since; false for others.
func (o Options) liveKind(live string) (kind string, ours bool) {
	first, rest, _ := strings.Cut(live, "\n")
	kind, begins := strings.CutPrefix(first, "// "+o.marked())
	kind, ends := strings.CutSuffix(kind, digest(rest))
	kind = strings.TrimSpace(kind)
	return kind, begins && ends && (kind == kindStandard || kind == kindFeedOnly || strings.HasPrefix(kind, kindFile))
}
