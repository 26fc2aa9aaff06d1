//go:build long

package clientrules

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The files at the root of the module, from this directory.
const (
	rulesFile    = "../../firestore.rules"
	indexesFile  = "../../firestore.indexes.json"
	firebaseFile = "../../firebase.json"
)

// firebaseConfig is firebase.json. It has no functions: the Firebase command line has no Go runtime.
type firebaseConfig struct {
	Firestore struct {
		Rules   string `json:"rules"`
		Indexes string `json:"indexes"`
	} `json:"firestore"`
	Emulators struct {
		Firestore         hostPort `json:"firestore"`
		Auth              hostPort `json:"auth"`
		SingleProjectMode bool     `json:"singleProjectMode"`
	} `json:"emulators"`
}

type hostPort struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// decodeFile reads a JSON file that holds nothing that v does not have.
func decodeFile(t *testing.T, name string, v any) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	if err := d.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
		t.Fatalf("decode %s: more than one value (%v)", name, err)
	}
}

func TestFirebaseNamesTheTestedFiles(t *testing.T) {
	var c firebaseConfig
	decodeFile(t, firebaseFile, &c)
	root := filepath.Dir(firebaseFile)
	if got := filepath.Join(root, c.Firestore.Rules); got != rulesFile {
		t.Errorf("rules are %s, tested are %s", got, rulesFile)
	}
	if got := filepath.Join(root, c.Firestore.Indexes); got != indexesFile {
		t.Errorf("indexes are %s, tested are %s", got, indexesFile)
	}
}

// Every client that reaches an emulator is its administrator.
func TestEmulatorsListenOnLoopbackOnly(t *testing.T) {
	var c firebaseConfig
	decodeFile(t, firebaseFile, &c)
	used := map[int]string{}
	for name, e := range map[string]hostPort{"firestore": c.Emulators.Firestore, "auth": c.Emulators.Auth} {
		address := net.JoinHostPort(e.Host, strconv.Itoa(e.Port))
		if ip := net.ParseIP(e.Host); ip == nil || !ip.IsLoopback() {
			t.Errorf("%s listens on %s, want a loopback address", name, address)
		}
		if e.Port < 1024 || e.Port > 65535 {
			t.Errorf("%s listens on %s, want a port from 1024 to 65535", name, address)
		}
		if other, ok := used[e.Port]; ok {
			t.Errorf("%s and %s both listen on port %d", name, other, e.Port)
		}
		used[e.Port] = name
	}
}
