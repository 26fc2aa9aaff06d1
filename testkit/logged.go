package testkit

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
)

// NewLoggedApp returns an app whose functions log into a buffer.
func NewLoggedApp(t *testing.T, cfg schema.Config) (*App, *SyncBuffer) {
	t.Helper()
	log := new(SyncBuffer)
	return InProcess{Logger: logging.New(log, slog.LevelWarn)}.NewApp(t, cfg), log
}

// SyncBuffer is a buffer for concurrent use: functions write while a test reads.
type SyncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (s *SyncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns what was written since the last Reset.
func (s *SyncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Reset empties the buffer.
func (s *SyncBuffer) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.Reset()
}
