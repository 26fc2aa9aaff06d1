package processes

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"example.com/relationindex/web"
)

const feedPath = "/Feed" // of the function, and of the site

// siteHandler serves the app, the console, and what only the console asks for:
//
//	GET  /config.json              where pages and other clients find all: see [System.serveConfig]
//	any  /Feed                     passed on to the function
//	any  /projects/{project}/Feed  likewise, for another project that begins with "demo-"
//	GET  /dev/actions              what happens, as it happens: see [actions.ServeHTTP]
//	POST /dev/jobs/{id}/retry      lets a job go on that has failed or was canceled
//	GET  anything else             the built files of package web
//
// Pages of other local origins may read the first three.
func (s *System) siteHandler() (http.Handler, error) {
	files, err := loadFiles(web.Dist())
	if err != nil {
		return nil, err
	}
	feed, err := s.feedProxy()
	if err != nil {
		return nil, err
	}
	if len(s.cfg.Origins) == 0 { // else the function decides who may call it
		feed = s.forLocalPages(feed)
	}
	mux := http.NewServeMux()
	mux.Handle("/config.json", s.forLocalPages(http.HandlerFunc(s.serveConfig)))
	mux.Handle(feedPath, feed)
	if s.projects != nil {
		mux.Handle(projectsPath+"{project}"+feedPath, s.withTriggers(feed))
	}
	mux.Handle("GET /dev/actions", s.actions)
	mux.Handle("POST /dev/jobs/{id}/retry", onlyJSON(http.HandlerFunc(s.retryJob)))
	mux.Handle("/", files)
	return withPolicies(s.contentPolicy(), mux), nil
}

// withTriggers gives the project in the path its triggers before handler is called.
func (s *System) withTriggers(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("project")
		if id == s.cfg.Project {
			r.URL.Path = feedPath
		} else if !hasTriggers(id) {
			answerError(w, http.StatusNotFound, fmt.Sprintf("project %.80q: must be lower-case letters, digits and dashes, and begin with %s", id, demoPrefix))
			return
		} else if err := s.projects.arrive(r.Context(), id, s.cfg.DatabaseID()); err != nil {
			answerError(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		handler.ServeHTTP(w, r)
	})
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
