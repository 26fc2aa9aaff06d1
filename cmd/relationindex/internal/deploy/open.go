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

// rulesCheck is that nothing is lost, and no database opened, when rules are replaced.
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

// locked are the rules of a database that was made in production mode, without
// comments and blanks: no client may do anything.
var locked = blank.ReplaceAllString(`rules_version='2'; service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write: if false; } } }`, "")

// isLocked reports whether rules let no client in.
func isLocked(live string) bool {
	bare := blank.ReplaceAllString(config.BareRules(live), "")
	return bare == locked || "rules_version='2';"+bare == locked
}

// mayOpen is an error if the database, which is locked or has no rules, has users or posts: only servers
// use it, and by our rules every account could list them. A person who gives the digest
// of the rules knows that. It costs a read for each thousand users and posts.
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

// documents says how many users and posts there are; "" if there are none.
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

// liveDigest names the rules of the database, which --replace-rules replaces: in another database, or another
// project, the same text has another name.
func (o Options) liveDigest(live string) string {
	return digest(o.Project, o.Config.DatabaseID(), live)[:12]
}

// rulesPage is where the console shows the rules of the database.
func (o Options) rulesPage() string {
	return "https://console.firebase.google.com/project/" + o.Project + "/firestore/databases/" + cmp.Or(o.Config.Database, "-default-") + "/rules"
}
