// Reads packages as Crossplane's package manager does, and checks the images as registries do.
//
// Arguments are files of packages. For each it prints one line: the file's name, and "ok" with the kinds of the objects, or what
// is wrong.
package main

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/yaml"
)

func main() {
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
	content, err := stream(annotated)
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

// Returns package.yaml of the layer that is marked as base.
func stream(image v1.Image) (io.ReadCloser, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	marked := 0
	var reader io.ReadCloser = mutate.Extract(image)
	for _, descriptor := range manifest.Layers {
		if descriptor.Annotations[xpkg.AnnotationKey] != xpkg.PackageAnnotation {
			continue
		}
		layer, err := image.LayerByDigest(descriptor.Digest)
		if err != nil {
			return nil, err
		}
		if reader, err = layer.Uncompressed(); err != nil {
			return nil, err
		}
		marked++
	}
	if marked != 1 {
		return nil, fmt.Errorf("%d layers are marked as base", marked)
	}
	files := tar.NewReader(reader)
	for {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("no %s: %w", xpkg.StreamFile, err)
		}
		if header.Name == xpkg.StreamFile {
			return io.NopCloser(files), nil
		}
	}
}
