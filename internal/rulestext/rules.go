// Package rulestext reads and changes the text of firestore.rules, for commands: a deployment, and the local system.
package rulestext

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/relationindex/schema"
)

// Check reports each renamed collection without a match in the text of firestore.rules, and each default
// name that is still in a path. Check only searches the text, so success proves nothing. It also rejects
// the rules of an app that has another collection with the default name.
func Check(c schema.Config, rules []byte) error {
	text := Bare(string(rules))
	matches := func(name string) bool { return regexp.MustCompile(`match\s+/(\S*/)?` + name + `/`).MatchString(text) }
	var errs []error
	here, standard := c.Collections(), schema.Config{}.Collections()
	for _, col := range []struct{ variable, name, was string }{
		{"RELATIONINDEX_USERS", here.Users, standard.Users},
		{"RELATIONINDEX_POSTS", here.Posts, standard.Posts},
		{"RELATIONINDEX_FOLLOWERS", here.Followers, standard.Followers},
	} {
		if col.name == col.was {
			continue
		}
		if !matches(col.name) {
			errs = append(errs, fmt.Errorf("%s=%q: firestore.rules has no match /%s/{…}: rename the collection there too", col.variable, col.name, col.name))
		}
		if matches(col.was) || strings.Contains(text, "/documents/"+col.was+"/") || strings.Contains(text, "/"+col.was+"/$(") {
			errs = append(errs, fmt.Errorf("%s=%q: firestore.rules still names /%s/ in a match, or in a path of exists() or get(): rename the collection there too", col.variable, col.name, col.was))
		}
	}
	return errors.Join(errs...)
}

// Bare returns the text of rules without comments. It also removes parts of strings
// that look like comments.
func Bare(text string) string {
	return regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`).ReplaceAllString(text, "")
}
