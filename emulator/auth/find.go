package auth

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNotInstalled means that firebase-tools, or the Node that it needs, was not found. The error's text lists the
// places, and says how to get firebase-tools.
var ErrNotInstalled = errors.New("the Auth emulator is not installed")

// howToGet ends every error of find.
const howToGet = `get it with
  cd web && npm ci
or npm install -g firebase-tools; it needs Node 20 or newer`

// installed is the path of the program below a directory with our package web, by npm.
var installed = filepath.Join("web", "node_modules", ".bin", "firebase")

// find returns the path of firebase-tools' program, or an error that wraps [ErrNotInstalled]. It looks for
// web/node_modules/.bin/firebase in the working directory and in its parents, then on PATH.
func find() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("where to look for firebase-tools: %w", err)
	}
	var reasons []string
	local, err := above(dir)
	if err == nil {
		if _, err = exec.LookPath("node"); err == nil {
			return local, nil
		}
	}
	reasons = append(reasons, err.Error())
	onPath, err := exec.LookPath("firebase") // the program may bring its own Node
	if err == nil {
		return onPath, nil
	}
	return "", fmt.Errorf("%w:\n  %s\n%s", ErrNotInstalled, strings.Join(append(reasons, err.Error()), "\n  "), howToGet)
}

// above returns the installed program in dir or in the directories above it.
func above(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		// LookPath says whether a path can be started.
		if program, err := exec.LookPath(filepath.Join(at, installed)); err == nil {
			return program, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no %s in %s or above it", installed, dir)
		}
	}
}
