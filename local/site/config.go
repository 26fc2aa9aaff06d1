package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/relationindex/schema"
)

// siteConfig is /config.json. A deployment has the same file with the values of
// its project, without emulators, webURL and dev.
type siteConfig struct {
	Firebase      firebaseConfig  `json:"firebase"`
	Database      string          `json:"database"`
	Emulators     emulatorsConfig `json:"emulators"`
	FeedURL       string          `json:"feedURL"`
	WebURL        string          `json:"webURL"`
	Pace          bool            `json:"pace,omitempty"`
	Counts        bool            `json:"counts,omitempty"`
	Notifications bool            `json:"notifications,omitempty"`
	Capacity      int             `json:"capacity"`
	Copied        []string        `json:"copied,omitempty"`
	Timelines     *timelines      `json:"timelines,omitempty"`
	Dev           consoleConfig   `json:"dev"`
}

type firebaseConfig struct {
	ProjectID string `json:"projectId"`
	APIKey    string `json:"apiKey"`
}

type emulatorsConfig struct {
	FirestoreHost string `json:"firestoreHost"`
	AuthHost      string `json:"authHost,omitempty"`
}

type consoleConfig struct {
	FollowersBytes int               `json:"followersBytes"`
	Collections    map[string]string `json:"collections"`
	Accounts       []SignIn          `json:"accounts,omitempty"`
}

// SignIn is an account that the sign-in page offers by a button. Everyone who can reach the site gets its password.
type SignIn struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// serveConfig answers with all that a client needs to connect: to the system's own
// project, or to another with ?project=demo-…. Its URLs have the host name of the
// request, so that they are of the page's own origin for the pages here.
func (o Options) serveConfig(w http.ResponseWriter, r *http.Request) {
	project, web := cmp.Or(r.URL.Query().Get("project"), o.Config.Project), "http://"+r.Host // the guard has checked the host
	feed := web + FeedPath
	if project != o.Config.Project {
		if !o.hasTriggers(project) {
			answerError(w, http.StatusNotFound, fmt.Sprintf("project %.80q has no triggers: use project %s, or with dev a project id that begins with demo-", project, o.Config.Project))
			return
		}
		feed = web + ProjectsPath + project + FeedPath
	}
	var accounts []SignIn
	if project == o.Config.Project && o.SignIns != nil {
		accounts = o.SignIns()
	}
	cfg := o.Config
	c := cfg.Collections()
	text, err := json.Marshal(siteConfig{
		firebaseConfig{project, "demo"}, // the Auth emulator accepts any key
		cfg.DatabaseID(),
		emulatorsConfig{cfg.EmulatorHost, cfg.AuthEmulatorHost},
		feed,
		web,
		o.Pace,
		cfg.Counts,
		cfg.Notifications,
		cmp.Or(cfg.Capacity, schema.DefaultCapacity),
		cfg.CopiedFields,
		timelinesOf(cfg),
		consoleConfig{cmp.Or(cfg.FollowersBytes, schema.DefaultFollowersBytes), map[string]string{
			"users": c.Users, "followers": c.Followers, "posts": c.Posts,
		}, accounts},
	})
	if err != nil {
		answerError(w, http.StatusInternalServerError, err.Error())
		return
	}
	files{r.URL.Path: newFile(text, ".json", "no-store")}.ServeHTTP(w, r)
}

// timelines has what clients need about timelines beside their documents.
type timelines struct {
	Layout       string `json:"layout"`
	Settings     bool   `json:"settings,omitempty"`
	Ranked       bool   `json:"ranked,omitempty"`
	RelationsOff bool   `json:"relationsOff,omitempty"`
}

// timelinesOf returns nil if timelines are off.
func timelinesOf(cfg schema.Config) *timelines {
	if cfg.Timeline() == "" {
		return nil
	}
	return &timelines{cfg.Timeline(), cfg.ReaderSettings, cfg.Ranked, !cfg.Relations()}
}
