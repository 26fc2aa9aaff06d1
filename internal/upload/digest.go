package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Digest returns the digest of the files that gcloud would upload from dir, and their size in bytes.
func Digest(ctx context.Context, dir string) (string, int64, error) {
	files, err := List(ctx, dir)
	if err != nil {
		return "", 0, err
	}
	sum, size := sha256.New(), int64(0)
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file)) //nolint:gosec // a file of the module
		if err != nil {
			return "", 0, err
		}
		size += int64(len(content))
		fmt.Fprintf(sum, "%d %s%d ", len(file), file, len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], size, nil
}
