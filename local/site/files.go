package site

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// contentTypes has the types of the built files. The system's table is not used, because
// it differs from machine to machine. With nosniff, a page with a wrong type does not
// work.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".txt": "text/plain; charset=utf-8",
}

// Cache-Control of files whose names change with their content, and of others.
const (
	immutable  = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// files are served by their paths: "/", "/assets/app-1a2b.js".
type files map[string]file

type file struct {
	body                     []byte
	contentType, cache, etag string
}

func newFile(body []byte, extension, cache string) file {
	contentType, ok := contentTypes[extension]
	if !ok {
		contentType = "application/octet-stream"
	}
	return file{body, contentType, cache, fmt.Sprintf(`"%x"`, sha256.Sum256(body))}
}

// loadFiles reads all files. An index.html is served as its directory.
func loadFiles(dir fs.FS) (files, error) {
	all := files{}
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		cache := revalidate
		if strings.HasPrefix(name, "assets/") {
			cache = immutable
		}
		all[strings.TrimSuffix("/"+name, "index.html")] = newFile(body, path.Ext(name), cache)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("files of the web app: %w", err)
	}
	return all, nil
}

// ServeHTTP answers GET and HEAD with a file. It redirects a directory's path without a
// slash to the path with one. It answers other paths with 404, and other methods with 405.
func (f files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	found, ok := f[r.URL.Path]
	if !ok {
		if _, ok := f[r.URL.Path+"/"]; ok {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently) //nolint:gosec // it is one of our paths
			return
		}
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", found.contentType)
	w.Header().Set("Cache-Control", found.cache)
	w.Header().Set("ETag", found.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.body))
}
