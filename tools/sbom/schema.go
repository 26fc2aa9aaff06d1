package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemas = "http://cyclonedx.org/schema/"

// validate compares a list with the JSON schema of its format.
func validate(text []byte) error {
	folder, err := schemaFolder()
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(folder)
	schema, err := compiler.Compile(schemas + "bom-1.5.schema.json")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// schemaFiles is the folder of the schemas that cyclonedx-go tests itself with. It
// reads https://cyclonedx.org/schema/ from there.
type schemaFiles string

func schemaFolder() (schemaFiles, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		return "", fmt.Errorf("folder of cyclonedx-go: %w", err)
	}
	return schemaFiles(filepath.Join(strings.TrimSpace(string(out)), "schema")), nil
}

func (f schemaFiles) Load(url string) (any, error) {
	name, ok := strings.CutPrefix(url, schemas)
	if !ok {
		return nil, fmt.Errorf("%s is not a schema of CycloneDX", url)
	}
	if name == "jsf-0.82.schema.json" {
		name = "jsf-0.82.schemax.json" // as it is spelled there
	}
	text, err := os.ReadFile(filepath.Join(string(f), path.Base(name)))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
