package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/testkit/program"
)

func TestDevPrintsItsLine(t *testing.T) {
	address := regexp.MustCompile(`^127\.0\.0\.1:\d+$`)
	url := regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`)
	if running.Project != command.DemoProject || running.Database != "(default)" || !address.MatchString(running.FirestoreHost) || !url.MatchString(running.FunctionsURL) ||
		!url.MatchString(running.WebURL) || !url.MatchString(strings.TrimSuffix(running.FeedURL, "/Feed")) {
		t.Errorf("dev --json printed %+v", running.Ready)
	}
	if !address.MatchString(running.AuthHost) {
		t.Errorf("dev --json printed %+v, without authHost: the Auth emulator comes with 'cd web && npm ci'", running.Ready)
	}
}

func TestDevServesThePages(t *testing.T) {
	for _, path := range []string{"/", "/console/", "/config.json"} {
		resp, err := http.Get(running.WebURL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", path, resp.Status)
		}
	}
}

func TestIdleOverHTTP(t *testing.T) {
	get := func(query string) (int, string) {
		resp, err := http.Get(running.FunctionsURL + "/idle?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if code, body := get("timeout=60s"); code != http.StatusOK {
		t.Errorf("idle: %d %s", code, body)
	}
	if code, body := get("timeout=1ns"); code != http.StatusGatewayTimeout {
		t.Errorf("idle within a nanosecond: %d %s", code, body)
	}
	if code, body := get("timeout=soon"); code != http.StatusBadRequest {
		t.Errorf("idle soon: %d %s", code, body)
	}
}

func TestDevAssignsEachPortOnce(t *testing.T) {
	for flag, at := range map[string]string{"firestore": running.FirestoreHost, "auth": running.AuthHost, "web": running.WebURL, "functions": running.FunctionsURL} {
		port := at[strings.LastIndex(at, ":")+1:]
		program.Run(t, nil, "dev", "--"+flag+"-port", port).Want(t, exitFailed, "--"+flag+"-port "+port+": address already in use", "choose another; 0 takes a free one")
	}
	program.Run(t, nil, "dev", "--web-port", "70000").Want(t, exitUsage, "web port 70000")
	program.Run(t, nil, "dev", "--firestore-port", "8080", "--functions-port", "8080").Want(t, exitUsage, "must differ")
	program.Run(t, nil, "dev", "--capacity", "10001").Want(t, exitUsage, "RELATIONINDEX_CAPACITY=10001")
	program.Run(t, nil, "dev", "--capacity", "0").Want(t, exitUsage, "--capacity 0")
}
