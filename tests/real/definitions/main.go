// Validates CustomResourceDefinitions as an API server does: a definition a line on stdin, its errors on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

func errors(scheme *runtime.Scheme, raw json.RawMessage) []string {
	found := []string{}
	var definition v1.CustomResourceDefinition
	strict, err := kjson.UnmarshalStrict(raw, &definition)
	if err != nil {
		return []string{err.Error()}
	}
	for _, one := range strict {
		found = append(found, one.Error())
	}
	scheme.Default(&definition)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(&definition, &internal, nil); err != nil {
		return append(found, err.Error())
	}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
		}
	}
	for _, one := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
		found = append(found, one.Error())
	}
	return found
}

func main() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := json.NewEncoder(os.Stdout)
	for in.More() {
		var raw json.RawMessage
		if err := in.Decode(&raw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(errors(scheme, raw)); err != nil {
			os.Exit(1)
		}
	}
}
