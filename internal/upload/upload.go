// Package upload lists and copies the files of this module that
// `gcloud functions deploy --source=.` would upload. .gcloudignore at the root
// chooses the files.
//
// The list comes from the installed gcloud. It needs no account, no project and no
// network, and reads none of the user's settings.
package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// List returns the files below dir that gcloud would upload, as sorted,
// slash-separated paths from dir.
func List(ctx context.Context, dir string) ([]string, error) {
	settings, err := os.MkdirTemp("", "gcloud")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(settings)                                                    //nolint:errcheck // a temporary directory
	cmd := exec.CommandContext(ctx, "gcloud", "meta", "list-files-for-upload", dir) //nolint:gosec // the caller chooses the folder
	cmd.Env = append(cmd.Environ(), "CLOUDSDK_CONFIG="+settings, "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true", "CLOUDSDK_GCLOUDIGNORE_ENABLED=true")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("gcloud meta list-files-for-upload %s: %w", dir, err)
	}
	var files []string
	for line := range strings.Lines(string(out)) {
		files = append(files, filepath.ToSlash(strings.TrimSpace(line)))
	}
	slices.Sort(files)
	return files, nil
}

// Copy copies files, as List returns them, from dir to the directory to. It creates
// that directory. It returns the total size in bytes.
func Copy(dir string, files []string, to string) (bytes int64, err error) {
	for _, file := range files {
		n, err := copyFile(filepath.Join(dir, file), filepath.Join(to, file))
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	return bytes, nil
}

func copyFile(from, to string) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return 0, err
	}
	in, err := os.Open(from) //nolint:gosec // a file of the module
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(to) //nolint:gosec // the caller chooses the file
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, in)
	return n, errors.Join(err, out.Close())
}
