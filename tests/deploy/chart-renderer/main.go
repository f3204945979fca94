// Renders a chart as `helm template` would, as far as ours goes: Go's own templates, sprig's functions, and those that Helm adds to them
// (include, required, toYaml, tpl). It exists because Helm itself is in no package of Debian's; where it is at hand the tests use that.
//
//	render CHART VALUES.json RELEASE NAMESPACE     values in JSON, merged over the chart's own
//
// Built with Debian's packages, without modules: GO111MODULE=off GOPATH=/usr/share/gocode.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type tree = map[string]interface{}

func main() {
	if len(os.Args) != 5 {
		fail(fmt.Errorf("render CHART VALUES.json RELEASE NAMESPACE"))
	}
	chart, release, namespace := os.Args[1], os.Args[3], os.Args[4]
	described := readTree(filepath.Join(chart, "Chart.yaml"))
	// Helm gives these under names of its own.
	about := tree{"Name": described["name"], "Version": described["version"], "AppVersion": described["appVersion"]}
	values := merged(readTree(filepath.Join(chart, "values.yaml")), readTree(os.Args[2]))
	given := tree{
		"Values":  values,
		"Chart":   about,
		"Release": tree{"Name": release, "Namespace": namespace, "Service": "Helm"},
	}
	render(filepath.Join(chart, "templates"), given)
}

func render(folder string, given tree) {
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, about interface{}) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, about)
			return out.String(), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"toYaml": func(value interface{}) (string, error) {
			out, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(out), "\n"), err
		},
	})
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	fail(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		fail(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		fail(err)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		var out bytes.Buffer
		fail(all.ExecuteTemplate(&out, filepath.Base(path), given))
		// As Helm does: what a template left undefined would stand there as this.
		fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(path), strings.ReplaceAll(out.String(), "<no value>", ""))
	}
}

func merged(base, over tree) tree {
	for name, value := range over {
		inner, isTree := value.(tree)
		below, wasTree := base[name].(tree)
		if isTree && wasTree {
			base[name] = merged(below, inner)
		} else {
			base[name] = value
		}
	}
	return base
}

func readTree(path string) tree {
	text, err := os.ReadFile(path)
	fail(err)
	out := tree{}
	fail(yaml.Unmarshal(text, &out))
	return out
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
