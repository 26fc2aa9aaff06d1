package testkit

import (
	"testing"

	"example.com/relationindex/schema"
)

// CopyOf makes an app without functions that has the documents of another one.
func CopyOf(t testing.TB, cfg schema.Config, documents map[string]map[string]any) *App {
	t.Helper()
	a := OpenApp(t, cfg)
	Write(t, a.Client, documents)
	return a
}
