package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// The files of an export, as firebase-tools names them.
const (
	accountsFile = "accounts.json"
	configFile   = "config.json"
)

// maxExportBytes is the largest file that is read or written: some hundred thousand accounts.
const maxExportBytes = 256 << 20

// Export writes the accounts of a project, and its settings, to files in dir as firebase-tools does; dir must exist. It
// leaves tenants out.
func (e *Emulator) Export(ctx context.Context, project, dir string) error {
	for file, path := range map[string]string{
		accountsFile: accountsPath(project) + ":batchGet?maxResults=-1",
		configFile:   configPath(project),
	} {
		text, err := e.do(ctx, http.MethodGet, path, nil)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("export of the accounts of %s: %w", project, err)
		}
	}
	return nil
}

// Import adds the accounts of an export to a project, whatever project they were exported from. It leaves tenants out.
func (e *Emulator) Import(ctx context.Context, project, dir string) error {
	err := e.importFile(ctx, http.MethodPatch, configPath(project), filepath.Join(dir, configFile))
	if os.IsNotExist(err) { // old versions of firebase-tools write no file
		err = nil
	}
	if err == nil {
		err = e.importFile(ctx, http.MethodPost, accountsPath(project)+":batchCreate", filepath.Join(dir, accountsFile))
	}
	if err != nil {
		return fmt.Errorf("import of accounts into %s: %w", project, err)
	}
	return nil
}

func (e *Emulator) importFile(ctx context.Context, method, path, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var export struct{ Users *[]json.RawMessage }
	if err := json.Unmarshal(text, &export); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if method == http.MethodPost && (export.Users == nil || len(*export.Users) == 0) {
		return nil // the emulator rejects an empty list
	}
	if _, err := e.do(ctx, method, path, text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Account is an account to sign in to.
type Account struct {
	ID       string `json:"localId"`
	Email    string `json:"email"`
	Password string `json:"password"`
	Name     string `json:"displayName,omitempty"`
}

// Create creates an account with the ID of a. It does nothing if an account has this id.
func (e *Emulator) Create(ctx context.Context, project string, a Account) error {
	text, err := json.Marshal(a) //nolint:gosec // a made-up password, for the emulator
	if err != nil {
		return err
	}
	answer, err := e.do(ctx, http.MethodPost, accountsPath(project), text)
	if err != nil && bytes.Contains(answer, []byte("DUPLICATE_LOCAL_ID")) {
		return nil
	}
	if err != nil && bytes.Contains(answer, []byte("EMAIL_EXISTS")) {
		return fmt.Errorf("account %q: %w", a.ID, ErrEmailTaken)
	}
	if err != nil {
		return fmt.Errorf("account %q: %w", a.ID, err)
	}
	return nil
}

// ErrEmailTaken means that another account has the email.
var ErrEmailTaken = errors.New("another account has this email")

func accountsPath(project string) string {
	return "/identitytoolkit.googleapis.com/v1/projects/" + project + "/accounts"
}

func configPath(project string) string { return "/emulator/v1/projects/" + project + "/config" }

// do sends a request as the project's owner. If the status is not 200, the error has the answer's text, and do returns both.
func (e *Emulator) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+e.host+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxExportBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	case len(text) > maxExportBytes:
		return nil, fmt.Errorf("%s %s: the answer has more than %d bytes", method, path, maxExportBytes)
	case resp.StatusCode != http.StatusOK:
		return text, fmt.Errorf("%s %s: %s: %.500s", method, path, resp.Status, bytes.TrimSpace(text))
	}
	return text, nil
}
