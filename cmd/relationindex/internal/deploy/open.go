package deploy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
)

// rulesCheck returns the check that replacing the rules loses nothing, and opens no locked database to clients.
func (o Options) rulesCheck() Check {
	return Check{
		Name: "rules", Want: "the database's rules are locked and the database has no users and posts; or its rules equal the new rules, an earlier text of the same --rules FILE, or the rules of --replace-rules",
		Ask: token, Fix: "ask for a role that reads the rules and the database",
		Needs: []string{needDatabase},
		holds: func(ctx context.Context, m *Machine, token string) error {
			g := o.google(m, token)
			live, err := g.rules(ctx)
			switch {
			case errors.Is(err, errNotFound), err == nil && isLocked(live):
				return o.mayOpen(ctx, g, live)
			case err != nil:
				return err
			}
			return o.mayReplace(live)
		},
	}
}

var blank = regexp.MustCompile(`\s+`)

// locked has the rules of a new database in production mode, without comments and
// blanks. They deny every client all access.
var locked = blank.ReplaceAllString(`rules_version='2'; service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write: if false; } } }`, "")

// isLocked reports whether rules let no client in.
func isLocked(live string) bool {
	bare := blank.ReplaceAllString(config.BareRules(live), "")
	return bare == locked || "rules_version='2';"+bare == locked
}

// mayOpen returns an error if the database has users or posts. The live rules must be locked or missing, so only
// servers use the database now. With our rules, every account could list the database's users and posts.
//
// If ReplaceRules is the digest of the live rules, a person has accepted this, and mayOpen returns nil. The count
// costs a read for each thousand users and posts.
func (o Options) mayOpen(ctx context.Context, g google, live string) error {
	sum := o.liveDigest(live)
	if o.ReplaceRules == sum {
		return nil
	}
	has, err := o.documents(ctx, g)
	if err != nil || has == "" {
		return err
	}
	why, then := "its rules are locked", "By our rules, every signed-in account lists profiles and posts, and writes its own"
	if live == "" {
		why = "it has no rules"
	}
	fix := "to give clients this access, add --replace-rules=" + sum + "; to keep clients out, add --rules keep"
	if o.OwnRules == nil {
		fix += "; to use rules of your own, add --rules FILE"
	} else {
		then = "By the rules of " + o.RulesFile + ", clients may get in"
	}
	return problem{
		fmt.Errorf("no client may read or write this database now, because %s: only servers use it. The database %s of the project %s has %s. %s. See %s",
			why, o.Config.DatabaseID(), o.Project, has, then, o.rulesPage()),
		fix,
	}
}

// documents describes the number of users and posts; "" if there are none.
func (o Options) documents(ctx context.Context, g google) (string, error) {
	c := o.Config.Collections()
	var has []string
	all := int64(0)
	for _, collection := range []string{c.Users, c.Posts} {
		n, err := g.count(ctx, collection)
		if err != nil {
			return "", err
		}
		text := console.Counted(n, "document") + " in " + collection
		if n >= maxCounted {
			text = "at least " + text
		}
		has = append(has, text)
		all += n
	}
	if all == 0 {
		return "", nil
	}
	return strings.Join(has, ", and "), nil
}

// liveDigest returns the digest of the live rules, which --replace-rules must equal. The same text has another
// digest in another database or project.
func (o Options) liveDigest(live string) string {
	return digest(o.Project, o.Config.DatabaseID(), live)[:12]
}

// rulesPage returns the URL of the console's page with the rules of the database.
func (o Options) rulesPage() string {
	return "https://console.firebase.google.com/project/" + o.Project + "/firestore/databases/" + cmp.Or(o.Config.Database, "-default-") + "/rules"
}
