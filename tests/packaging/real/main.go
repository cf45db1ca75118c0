// Reads packages as Crossplane's package manager does, and checks the images as registries do.
//
// Arguments are files of packages. For each it prints one line: the file's name, and "ok" with the kinds of the objects, or what
// is wrong. With the argument "constraints" it reads constraints on versions from stdin, a line each, and prints "ok" or "wrong".
// The other commands are in registry.go.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/Masterminds/semver/v3"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/yaml"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "constraints" {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if _, err := semver.NewConstraint(lines.Text()); err != nil {
				fmt.Println("wrong")
			} else {
				fmt.Println("ok")
			}
		}
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "registry" {
		fmt.Println(inRegistry(os.Args[2], os.Args[3:]))
		return
	}
	status := 0
	for _, path := range os.Args[1:] {
		kinds, err := read(path)
		if err != nil {
			fmt.Printf("%s: %v\n", path, strings.ReplaceAll(err.Error(), "\n", " "))
			status = 1
			continue
		}
		fmt.Printf("%s: ok %s\n", path, strings.Join(kinds, " "))
	}
	os.Exit(status)
}

func read(path string) ([]string, error) {
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		return nil, err
	}
	if err := validate.Image(image); err != nil {
		return nil, err
	}
	// What a push to a registry does to a package.
	annotated, err := xpkg.AnnotateLayers(image)
	if err != nil {
		return nil, err
	}
	if err := validate.Image(annotated); err != nil {
		return nil, err
	}
	return kindsIn(annotated)
}

func kindsIn(image v1.Image) ([]string, error) {
	content, err := xpkg.ExtractPackageYAML(image)
	if err != nil {
		return nil, err
	}
	parser, err := yaml.New()
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(context.Background(), content)
	if err != nil {
		return nil, err
	}
	if err := xpkg.NewFunctionLinter().Lint(parsed); err != nil {
		return nil, err
	}
	kinds := []string{}
	for _, object := range append(parsed.GetMeta(), parsed.GetObjects()...) {
		kinds = append(kinds, object.GetObjectKind().GroupVersionKind().Kind)
	}
	return kinds, nil
}
