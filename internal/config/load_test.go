package config

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
)

func TestLoadReadsEveryKind(t *testing.T) {
	env := EnvironmentOf([]string{
		"GOOGLE_CLOUD_PROJECT=demo-b", "GOOGLE_CLOUD_PROJECT=demo-a", "HOME=x", "RELATIONINDEX_CAPACITY= 500 ", "RELATIONINDEX_KEEP_POSTS=true", "RELATIONINDEX_HORIZON=90h",
		"RELATIONINDEX_COPIED_FIELDS=text, likes", "RELATIONINDEX_LOG_LEVEL=warn", "RELATIONINDEX_DATABASE=blue", "RELATIONINDEX_FEED_RATE=", "RELATIONINDEX_BINARY=x",
	})
	got, err := env.Load(deployedIndexes(t))
	if err != nil {
		t.Fatal(err)
	}
	want := schema.Config{Project: "demo-a", Capacity: 500, KeepPosts: true, Horizon: 90 * time.Hour, CopiedFields: []string{"text", "likes"}, LogLevel: slog.LevelWarn, Database: "blue"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The database may be (default), and a variable of an older release may be set to nothing.
func TestLoadAcceptsDefaultDatabaseAndEmptyOldVariable(t *testing.T) {
	for _, entry := range []string{"RELATIONINDEX_DATABASE=(default)", "RELATIONINDEX_PREFIX="} {
		got, err := EnvironmentOf([]string{"GOOGLE_CLOUD_PROJECT=demo-a", entry}).Load(deployedIndexes(t))
		if diff := gocmp.Diff(schema.Config{Project: "demo-a"}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", entry, err, diff)
		}
	}
}

// Every wrong variable has an error of its own, which names it, its value and the rule.
func TestLoadReportsEachWrongVariable(t *testing.T) {
	for entry, want := range map[string]string{
		"GOOGLE_CLOUD_PROJECT=My Project":         `GOOGLE_CLOUD_PROJECT="My Project": must be the id of a project: lower-case letters, digits and hyphens`,
		"FIRESTORE_EMULATOR_HOST=http://a:80":     `FIRESTORE_EMULATOR_HOST="http://a:80": must be host:port, such as 127.0.0.1:8080`,
		"FIRESTORE_EMULATOR_HOST=[::1]:0":         `must be host:port`,
		"FIRESTORE_EMULATOR_HOST=a\nA=b:80":       `must be host:port`,
		"FIRESTORE_EMULATOR_HOST=:8080":           `must be host:port`,
		"FIRESTORE_EMULATOR_HOST=localhost:http":  `must be host:port`,
		"RELATIONINDEX_CAPACITY=many":             `RELATIONINDEX_CAPACITY="many": must be 1 to 10,000 follower ids`,
		"RELATIONINDEX_CAPACITY=1e3":              `RELATIONINDEX_CAPACITY="1e3": must be 1 to 10,000 follower ids`,
		"RELATIONINDEX_CAPACITY=10001":            `RELATIONINDEX_CAPACITY=10001: must be 1 to 10,000 follower ids`,
		"RELATIONINDEX_IDLE=60":                   `RELATIONINDEX_IDLE="60": must be 0s to 87600h`,
		"RELATIONINDEX_KEEP_POSTS=yes":            `RELATIONINDEX_KEEP_POSTS="yes": must be true or false`,
		"RELATIONINDEX_LOG_LEVEL=verbose":         `RELATIONINDEX_LOG_LEVEL="verbose": must be DEBUG, INFO, WARN or ERROR`,
		"RELATIONINDEX_COPIED_FIELDS=text,":       `RELATIONINDEX_COPIED_FIELDS="text,": item 2 is empty: must be fields of the post separated by commas`,
		"RELATIONINDEX_COPIED_FIELDS=,":           `item 1 is empty`,
		"RELATIONINDEX_POSTS=my/posts":            `RELATIONINDEX_POSTS="my/posts": must be a unique name: letters`,
		"RELATIONINDEX_DATABASE=blue ox":          `RELATIONINDEX_DATABASE="blue ox": must be (default), or the id of another database`,
		"RELATIONINDEX_DATABASE=default":          `RELATIONINDEX_DATABASE="default": must be (default), or the id of another database, which is not default`,
		"RELATIONINDEX_USERS=posts":               `RELATIONINDEX_POSTS="posts": must be a unique name, but it is that of RELATIONINDEX_USERS`,
		"RELATIONINDEX_FOLLOWERS=following":       `RELATIONINDEX_FOLLOWERS="following": must be a unique name, but it is a collection that the functions use`,
		"RELATIONINDEX_POSTS=__posts__":           `RELATIONINDEX_POSTS="__posts__": must be a unique name: letters`,
		"RELATIONINDEX_PREFIX=blue_":              `"RELATIONINDEX_PREFIX": no such variable`,
		"RELATIONINDEX_CAPASITY=5":                `"RELATIONINDEX_CAPASITY": no such variable (do you mean RELATIONINDEX_CAPACITY?): docs/configuration.md lists all`,
		"FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9": `requires FIRESTORE_EMULATOR_HOST, which is not set`,
	} {
		_, err := EnvironmentOf([]string{"GOOGLE_CLOUD_PROJECT=demo-a", entry}).Load(deployedIndexes(t))
		errs := Each(err)
		if entry == "RELATIONINDEX_COPIED_FIELDS=," && len(errs) == 2 {
			errs = errs[:1] // both items
		}
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("%s: %v, want one error with %q", entry, errs, want)
		}
	}
	for _, c := range []struct {
		want string
		env  []string
	}{
		{"RELATIONINDEX_TEST_CHUNK=1: is for tests on an emulator; functions of your own may set the field Chunk", []string{"RELATIONINDEX_TEST_CHUNK=1"}},
		{`RELATIONINDEX_FEEDS="items,days": a database has one layout of timelines`, []string{"RELATIONINDEX_FEEDS=items,days"}},
		{`RELATIONINDEX_FEEDS="relations,items,days": a database has one layout of timelines`, []string{"RELATIONINDEX_FEEDS=relations,items,days"}},
		{`RELATIONINDEX_FEEDS="items,items": contains "items" twice`, []string{"RELATIONINDEX_FEEDS=items,items"}},
		{"RELATIONINDEX_CAP=1000: requires items or buckets in RELATIONINDEX_FEEDS", []string{"RELATIONINDEX_FEEDS=relations,days", "RELATIONINDEX_CAP=1000"}},
		{"RELATIONINDEX_EXPIRE=720h0m0s: requires items or days in RELATIONINDEX_FEEDS", []string{"RELATIONINDEX_FEEDS=relations,buckets", "RELATIONINDEX_EXPIRE=720h"}},
		{"RELATIONINDEX_BUCKET=10: requires buckets in RELATIONINDEX_FEEDS", []string{"RELATIONINDEX_BUCKET=10"}},
		{"RELATIONINDEX_CAP=40: must be a multiple of RELATIONINDEX_BUCKET, which is 50", []string{"RELATIONINDEX_FEEDS=relations,buckets", "RELATIONINDEX_CAP=40"}},
		{"RELATIONINDEX_BACKFILL=100: must be at most RELATIONINDEX_CAP", []string{"RELATIONINDEX_FEEDS=relations,buckets", "RELATIONINDEX_CAP=50", "RELATIONINDEX_BACKFILL=100"}},
		{"RELATIONINDEX_BACKFILL=100: requires timelines", []string{"RELATIONINDEX_BACKFILL=100"}},
		{"RELATIONINDEX_KEEP_ON_UNFOLLOW=true: requires", []string{"RELATIONINDEX_KEEP_ON_UNFOLLOW=true"}},
		{"RELATIONINDEX_HORIZON=1m: must be 0, or 1h to 87600h: a duration such as 720h (30 days; there is no unit d)", []string{"RELATIONINDEX_HORIZON=1m"}},
		{`RELATIONINDEX_HORIZON="30d": must be 0, or 1h to 87600h: a duration such as 720h (30 days; there is no unit d)`, []string{"RELATIONINDEX_HORIZON=30d"}},
		{"RELATIONINDEX_HORIZON=720h0m0s: RELATIONINDEX_FEEDS=days has no relations", []string{"RELATIONINDEX_FEEDS=days", "RELATIONINDEX_HORIZON=720h"}},
		{`RELATIONINDEX_FEEDS="weeks": "weeks": must be relations, items, buckets or days`, []string{"RELATIONINDEX_FEEDS=weeks"}},
	} {
		_, err := EnvironmentOf(append(c.env, "GOOGLE_CLOUD_PROJECT=demo-a")).Load(deployedIndexes(t))
		if errs := Each(err); len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%v: %v, want one error with %q", c.env, errs, c.want)
		}
	}
	_, err := EnvironmentOf([]string{"RELATIONINDEX_CAPACITY=-1", "RELATIONINDEX_BACKFILL=x", "RELATIONINDEX_BACKFIL=7", "RELATIONINDEX_USERS=posts"}).Load(deployedIndexes(t))
	if errs := Each(err); len(errs) != 5 { // and no project
		t.Errorf("%d errors, want 5: %v", len(errs), errs)
	}
}

// A key that breaks its rule is a key all the same.
func TestErrorsContainNoSecrets(t *testing.T) {
	for _, key := range []string{"a-short-key", "a key with spaces in it", "two-keys-0123456789,of-which-there-is-one", strings.Repeat("x", 201)} {
		f, err := Environment{"RELATIONINDEX_TOMBSTONE_KEY": key}.LoadAnyProject()
		if err == nil {
			t.Errorf("%q is accepted", key)
			continue
		}
		if strings.Contains(err.Error(), key) {
			t.Errorf("the error tells a key: %v", err)
		}
		for _, s := range f.Settings() {
			if s.Variable == "RELATIONINDEX_TOMBSTONE_KEY" && s.Shown() != "(secret)" {
				t.Errorf("it is shown as %q", s.Shown())
			}
		}
	}
	if _, err := (Environment{"RELATIONINDEX_TOMBSTONE_KEY": "a-key-of-good-length"}).LoadAnyProject(); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesTheVariable(t *testing.T) {
	for want, f := range map[string]schema.Config{
		`FIREBASE_AUTH_EMULATOR_HOST="x": must be host:port`:                             {EmulatorHost: "127.0.0.1:8080", AuthEmulatorHost: "x"},
		`FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099": requires FIRESTORE_EMULATOR_HOST`: {AuthEmulatorHost: "127.0.0.1:9099"},
		`RELATIONINDEX_AUTHOR_FIELDS="name": "name": must be user=post`:                  {AuthorFields: []string{"name"}},
		`RELATIONINDEX_AUTHOR_FIELDS="name=userId": "name=userId"`:                       {AuthorFields: []string{"name=userId"}},
		`RELATIONINDEX_AUTHOR_FIELDS="followers_index=x"`:                                {AuthorFields: []string{"followers_index=x"}},
		`RELATIONINDEX_AUTHOR_FIELDS="a=x,b=x": contains "x" twice`:                      {AuthorFields: []string{"a=x", "b=x"}},
		`RELATIONINDEX_REF_FIELDS="name=refs": "name=refs"`:                              {RefFields: []string{"name=refs"}},
		`RELATIONINDEX_REF_FIELDS="a=x": "x" is a field of RELATIONINDEX_AUTHOR_FIELDS`:  {AuthorFields: []string{"b=x"}, RefFields: []string{"a=x"}},
		`RELATIONINDEX_COPIED_FIELDS="text,,likes": item 2 is empty`:                     {CopiedFields: []string{"text", "", "likes"}},
		`RELATIONINDEX_COPIED_FIELDS="text,text": contains "text" twice`:                 {CopiedFields: []string{"text", "text"}},
		`RELATIONINDEX_COPIED_FIELDS="postId": "postId": must be fields of the post`:     {CopiedFields: []string{"postId"}},
		`RELATIONINDEX_LOG_LEVEL="INFO+2": must be DEBUG, INFO, WARN or ERROR`:           {LogLevel: 2},
	} {
		f.Project = "demo-a"
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", f, err, want)
		}
	}
}
