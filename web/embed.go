// Package web holds the built files of the app and the console. They are committed: who runs `relationindex dev` needs
// no Node. `make lint` checks that they are what web/src builds.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is what `npm run build` writes: the app at index.html, the console at console/index.html.
func Dist() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path
	}
	return built
}
