package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"example.com/relationindex/internal/config"
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

// replaceable says whether nothing of a person's is lost when live rules are
// replaced by ours: they are ours of any release and unchanged since, or those of a
// new database. Feed-only rules are replaced by no others: a deployment that forgets
// to say --rules would show readers who else follows.
func (o Options) replaceable(live string) bool {
	first, rest, _ := strings.Cut(live, "\n")
	bare := blank.ReplaceAllString(config.BareRules(live), "")
	ours := first+"\n" == o.rulesMark(o.RulesFile, rest) || first+"\n" == o.rulesMark("", rest)
	return ours || bare == locked || "rules_version='2';"+bare == locked
}
