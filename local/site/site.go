// Package site serves what the command dev shows to people: the app, the console, and the console's data, such as
// [Actions].
package site

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/siteguard"
	"example.com/relationindex/schema"
	"example.com/relationindex/web"
)

const (
	// FeedPath is the path of Feed, at the function and at the site.
	FeedPath = "/Feed"

	// ProjectsPath begins the paths of the functions of other projects, at the workers and at the site.
	ProjectsPath = "/projects/"
)

// Options are the parts of the system that the site shows. Only Arrive may be nil.
type Options struct {
	Config       schema.Config // with the hosts for clients
	FunctionsURL string        // without a slash at its end
	Pace         bool          // the rules have a pace
	Guard        siteguard.Guard
	Engine       *chunker.Engine
	Actions      *Actions

	// HasTriggers reports whether a project other than Config's may have triggers, and Arrive gives them to it. Arrive is
	// nil if no other project has any.
	HasTriggers func(project string) bool
	Arrive      func(ctx context.Context, project string) error

	// SignIns returns the accounts of Config's project that the sign-in page offers. It may be nil.
	SignIns func() []SignIn
}

// hasTriggers is HasTriggers, and false without Arrive.
func (o Options) hasTriggers(project string) bool { return o.Arrive != nil && o.HasTriggers(project) }

// Handler serves the app, the console, and what only the console requests:
//
//	GET  /config.json              what pages and other clients need to connect: see siteConfig
//	any  /Feed                     passed on to the function
//	any  /projects/{project}/Feed  likewise, for another project that begins with "demo-"
//	GET  /dev/actions              actions as they happen: see [Actions.ServeHTTP]
//	POST /dev/jobs/{id}/retry      lets a failed or canceled job go on
//	GET  anything else             the built files of package web
//
// Pages of other local origins may read the first three.
func Handler(o Options) (http.Handler, error) {
	files, err := loadFiles(web.Dist())
	if err != nil {
		return nil, err
	}
	feed, err := o.feedProxy()
	if err != nil {
		return nil, err
	}
	if len(o.Config.Origins) == 0 { // otherwise, the function decides who may call it
		feed = o.forLocalPages(feed)
	}
	mux := http.NewServeMux()
	mux.Handle("/config.json", o.forLocalPages(http.HandlerFunc(o.serveConfig)))
	mux.Handle(FeedPath, feed)
	if o.Arrive != nil {
		mux.Handle(ProjectsPath+"{project}"+FeedPath, o.withTriggers(feed))
	}
	mux.Handle("GET /dev/actions", o.Actions)
	mux.Handle("POST /dev/jobs/{id}/retry", onlyJSON(http.HandlerFunc(o.retryJob)))
	mux.Handle("/", files)
	return withPolicies(o.contentPolicy(), mux), nil
}

// withTriggers gives the project in the path its triggers before handler is called.
func (o Options) withTriggers(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("project")
		if id == o.Config.Project {
			r.URL.Path = FeedPath
		} else if !o.hasTriggers(id) {
			answerError(w, http.StatusNotFound, fmt.Sprintf("project %.80q: must be lower-case letters, digits and dashes, and begin with demo-", id))
			return
		} else if err := o.Arrive(r.Context(), id); err != nil {
			answerError(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// feedProxy passes requests on to the function, so that the pages reach it at their own
// origin.
func (o Options) feedProxy() (http.Handler, error) {
	to, err := url.Parse(o.FunctionsURL)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{IdleConnTimeout: 90 * time.Second, DisableCompression: true},
		ModifyResponse: func(answer *http.Response) error {
			for name := range policies {
				answer.Header.Del(name) // the site has set its own already
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			answer(w, http.StatusBadGateway, said{Error: &problem{"unavailable", "no answer from the functions: " + err.Error()}})
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}, nil
}
