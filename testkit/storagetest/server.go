package storagetest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// pageSize is the number of objects in a page of a list.
const pageSize = 3

// Server holds objects in memory.
type Server struct {
	Host string // for STORAGE_EMULATOR_HOST

	http       *httptest.Server
	breakAfter int64 // bytes; 0: never

	mu         sync.Mutex
	objects    map[string]map[string]object // by bucket and name
	generation int64
	requests   []string
}

type object struct {
	content    []byte
	encoding   string
	generation int64
}

// Start starts a server. In each answer that sends an object, it breaks the connection after
// breakAfter bytes; 0: never.
func Start(breakAfter int64) *Server {
	s := &Server{breakAfter: breakAfter, objects: map[string]map[string]object{}}
	s.http = httptest.NewServer(s)
	s.Host = strings.TrimPrefix(s.http.URL, "http://")
	return s
}

// Close ends the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Put stores a new generation of an object. encoding is its Content-Encoding.
func (s *Server) Put(bucket, name, encoding string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[bucket] == nil {
		s.objects[bucket] = map[string]object{}
	}
	s.generation++
	s.objects[bucket][name] = object{content, encoding, s.generation}
}

// Reads returns the first bytes of the requested ranges, in order of the requests.
func (s *Server) Reads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers the JSON API below /storage/v1/b, and the XML API elsewhere.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, api := strings.CutPrefix(r.URL.EscapedPath(), "/storage/v1/b/")
	bucket, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if api {
		rest, _ = strings.CutPrefix(rest, "o")
		rest = strings.TrimPrefix(rest, "/")
	}
	name, err := url.PathUnescape(rest)
	if err != nil || r.Method != http.MethodGet {
		http.Error(w, "not understood", http.StatusBadRequest)
		return
	}
	if api && name == "" {
		s.list(w, bucket, r.URL.Query())
		return
	}
	s.mu.Lock()
	o, found := s.objects[bucket][name]
	s.mu.Unlock()
	if g := r.URL.Query().Get("generation"); !found || g != "" && g != strconv.FormatInt(o.generation, 10) {
		http.Error(w, "no such object", http.StatusNotFound)
		return
	}
	if api {
		answer(w, o.attrs(bucket, name))
		return
	}
	s.send(w, r, o)
}

// attrs returns an object as the JSON API describes it.
func (o object) attrs(bucket, name string) map[string]any {
	return map[string]any{
		"kind": "storage#object", "bucket": bucket, "name": name, "contentEncoding": o.encoding, "crc32c": o.crc32c(),
		"size": strconv.Itoa(len(o.content)), "generation": strconv.FormatInt(o.generation, 10),
	}
}

func (o object) crc32c() string {
	sum := crc32.Checksum(o.content, crc32.MakeTable(crc32.Castagnoli))
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

// list answers a page of the objects whose names begin with a prefix. A page's token is the name of
// the page's first object.
func (s *Server) list(w http.ResponseWriter, bucket string, query url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for name := range s.objects[bucket] {
		if strings.HasPrefix(name, query.Get("prefix")) && name >= query.Get("pageToken") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	page := map[string]any{"kind": "storage#objects"}
	if len(all) > pageSize {
		page["nextPageToken"] = all[pageSize]
		all = all[:pageSize]
	}
	var items []any
	for _, name := range all {
		items = append(items, s.objects[bucket][name].attrs(bucket, name))
	}
	page["items"] = items
	answer(w, page)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails only if the client is gone
}

// send sends an object from a byte on, as it is stored. Cloud Storage decompresses an object with
// Content-Encoding gzip for a client that does not accept gzip. This server does not: its clients must
// accept gzip.
func (s *Server) send(w http.ResponseWriter, r *http.Request, o object) {
	if o.encoding == "gzip" && !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		http.Error(w, "this server does not decompress", http.StatusNotImplemented)
		return
	}
	from, size := 0, len(o.content)
	if text := r.Header.Get("Range"); text != "" {
		if _, err := fmt.Sscanf(text, "bytes=%d-", &from); err != nil || from < 0 || from >= size {
			http.Error(w, "range", http.StatusRequestedRangeNotSatisfiable)
			return
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, strconv.Itoa(from))
	s.mu.Unlock()
	header := w.Header()
	header.Set("Content-Length", strconv.Itoa(size-from))
	header.Set("X-Goog-Generation", strconv.FormatInt(o.generation, 10))
	header.Set("X-Goog-Hash", "crc32c="+o.crc32c())
	if o.encoding != "" {
		header.Set("Content-Encoding", o.encoding)
		header.Set("X-Goog-Stored-Content-Encoding", o.encoding)
	}
	if from > 0 {
		header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, size-1, size))
		w.WriteHeader(http.StatusPartialContent)
	}
	part := o.content[from:]
	broken := s.breakAfter > 0 && int64(len(part)) > s.breakAfter
	if broken {
		part = part[:s.breakAfter]
	}
	_, err := w.Write(part)
	if flush, ok := w.(http.Flusher); ok && err == nil {
		flush.Flush()
	}
	if broken {
		panic(http.ErrAbortHandler) // ends the connection
	}
	_, _ = io.Copy(io.Discard, r.Body)
}
