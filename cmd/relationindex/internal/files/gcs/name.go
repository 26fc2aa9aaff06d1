package gcs

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const scheme = "gs://"

// IsName reports whether file names objects instead of a file of this machine.
func IsName(file string) bool { return strings.HasPrefix(file, scheme) }

// maxNameBytes is the longest name of an object in UTF-8. Source: "About Cloud Storage
// objects", https://docs.cloud.google.com/storage/docs/objects, as of 2026.
const maxNameBytes = 1024

// bucketName matches a little more than Google's rules allow.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$`)

// Name names one object, or all objects with the prefix Object.
type Name struct {
	Bucket, Object string
	Many           bool
}

// Parse reads gs://bucket/object, or a prefix: gs://bucket/folder/ or gs://bucket/folder/part*.
func Parse(s string) (Name, error) {
	bucket, object, found := strings.Cut(strings.TrimPrefix(s, scheme), "/")
	n := Name{Bucket: bucket, Object: object}
	wrong := func(rule string) (Name, error) {
		return Name{}, fmt.Errorf("%.200q: %s; for example gs://bucket/graph.csv.gz, gs://bucket/folder/ or gs://bucket/folder/part*", s, rule)
	}
	if n.Object, n.Many = strings.CutSuffix(object, "*"); !n.Many {
		n.Many = object == "" || strings.HasSuffix(object, "/")
	}
	switch {
	case !IsName(s) || !found:
		return wrong("it names no object")
	case !bucketName.MatchString(bucket):
		return wrong("a bucket's name has 3 to 222 lower-case letters, digits, dots, dashes and underscores")
	case strings.Contains(n.Object, "*"):
		return wrong("a * can only be at the end")
	case len(n.Object) > maxNameBytes || !utf8.ValidString(n.Object):
		return wrong(fmt.Sprintf("an object's name has at most %d bytes of UTF-8", maxNameBytes))
	}
	return n, nil
}
