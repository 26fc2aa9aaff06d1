package testkit

import (
	"testing"

	"example.com/relationindex/schema"
)

// CopyOf makes an app without functions, and writes the given documents of another app into it.
func CopyOf(t testing.TB, cfg schema.Config, documents map[string]map[string]any) *App {
	t.Helper()
	a := OpenApp(t, cfg)
	Write(t, a.Client, documents)
	return a
}
