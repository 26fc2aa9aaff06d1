package devhost

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/web"
)

const feedPath = "/Feed" // of the function, and of the site

// siteHandler serves the app, the console, and what only the console asks for:
//
//	GET  /config.json           where the pages find Firebase
//	any  /Feed                  passed on to the function
//	GET  /dev/actions           what happens, as it happens: see [actions.ServeHTTP]
//	POST /dev/jobs/{id}/retry   lets a job go on that has failed or was canceled
//	GET  anything else          the built files of package web
func (s *System) siteHandler() (http.Handler, error) {
	files, err := loadFiles(web.Dist())
	if err != nil {
		return nil, err
	}
	configFile, err := s.siteConfig()
	if err != nil {
		return nil, err
	}
	feed, err := s.feedProxy()
	if err != nil {
		return nil, err
	}
	files["/config.json"] = newFile(configFile, ".json", "no-store")
	mux := http.NewServeMux()
	mux.Handle(feedPath, feed)
	mux.Handle("GET /dev/actions", s.actions)
	mux.Handle("POST /dev/jobs/{id}/retry", onlyJSON(http.HandlerFunc(s.retryJob)))
	mux.Handle("/", files)
	return withPolicies(s.contentPolicy(), mux), nil
}

// siteConfig is /config.json: a deployment has the same file with the values of
// its project, and without emulators and dev.
func (s *System) siteConfig() ([]byte, error) {
	type firebase struct {
		ProjectID string `json:"projectId"`
		APIKey    string `json:"apiKey"`
	}
	type emulators struct {
		FirestoreHost string `json:"firestoreHost"`
		AuthHost      string `json:"authHost,omitempty"`
	}
	type console struct {
		Capacity       int               `json:"capacity"`
		FollowersBytes int               `json:"followersBytes"`
		Collections    map[string]string `json:"collections"`
		Timelines      *timelines        `json:"timelines,omitempty"`
	}
	c := s.cfg.Collections()
	return json.Marshal(struct {
		Firebase  firebase  `json:"firebase"`
		Database  string    `json:"database,omitempty"` // none: (default)
		Emulators emulators `json:"emulators"`
		FeedURL   string    `json:"feedURL"`
		Dev       console   `json:"dev"`
	}{
		firebase{s.cfg.Project, "demo"}, // the Auth emulator takes any key
		s.cfg.Database,
		emulators{s.cfg.EmulatorHost, s.cfg.AuthEmulatorHost},
		feedPath,
		console{cmp.Or(s.cfg.Capacity, schema.DefaultCapacity), cmp.Or(s.cfg.FollowersBytes, schema.DefaultFollowersBytes), map[string]string{
			"users": c.Users, "followers": c.Followers, "posts": c.Posts,
		}, timelinesOf(s.cfg)},
	})
}

// timelines is what the console knows of timelines beside their documents.
type timelines struct {
	Layout       string `json:"layout"`
	Settings     bool   `json:"settings,omitempty"`
	Ranked       bool   `json:"ranked,omitempty"`
	RelationsOff bool   `json:"relationsOff,omitempty"`
}

// timelinesOf returns nil if timelines are off.
func timelinesOf(cfg config.Functions) *timelines {
	if cfg.Timeline == "" {
		return nil
	}
	return &timelines{cfg.Timeline, cfg.ReaderSettings, cfg.Ranked, cfg.RelationsOff}
}

// feedProxy passes requests on to the function, which the pages so reach without
// another origin.
func (s *System) feedProxy() (http.Handler, error) {
	to, err := url.Parse(s.balancer.url)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{IdleConnTimeout: 90 * time.Second, DisableCompression: true},
		ModifyResponse: func(answer *http.Response) error {
			for name := range policies {
				answer.Header.Del(name) // the site's are set already
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			answer(w, http.StatusBadGateway, said{Error: &problem{"unavailable", "no answer from the functions: " + err.Error()}})
		},
		ErrorLog: quiet(),
	}, nil
}
