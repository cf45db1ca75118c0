// Validates custom resources as an API server does: JSON objects in, one line with the errors of each out.
//
// The first line on stdin is an object with CustomResourceDefinitions by name. Each further line has the name of a
// definition, an object, and perhaps the object that it replaces. Each line on stdout is a list of errors.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

type kind struct {
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

type asked struct {
	Definition string         `json:"definition"`
	Object     map[string]any `json:"object"`
	Old        map[string]any `json:"old"`
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func kinds(definition v1.CustomResourceDefinition) map[string]kind {
	made := map[string]kind{}
	for _, version := range definition.Spec.Versions {
		var internal apiextensions.CustomResourceValidation
		must(v1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, &internal, nil))
		structural, err := schema.NewStructural(internal.OpenAPIV3Schema)
		must(err)
		validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
		must(err)
		rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
		made[definition.Spec.Group+"/"+version.Name] = kind{structural, validator, rules}
	}
	return made
}

// The API server reads whole numbers as integers.
func whole(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for key, inner := range typed {
			typed[key] = whole(inner)
		}
	case []any:
		for at, inner := range typed {
			typed[at] = whole(inner)
		}
	case json.Number:
		if number, err := typed.Int64(); err == nil && !strings.ContainsAny(typed.String(), ".eE") {
			return number
		}
		number, _ := typed.Float64()
		return number
	}
	return value
}

func (k kind) errors(object, old map[string]any) []string {
	found := []string{}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(object, k.structural, true, options) {
		found = append(found, "unknown field: "+path)
	}
	if one := objectmeta.Coerce(nil, object, k.structural, false, false); one != nil {
		found = append(found, one.Error())
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, k.structural)
	defaulting.Default(object, k.structural)
	for _, one := range validation.ValidateCustomResource(nil, object, k.schema) {
		found = append(found, one.Error())
	}
	for _, one := range objectmeta.Validate(nil, object, k.structural, false) {
		found = append(found, one.Error())
	}
	for _, one := range listtype.ValidateListSetsAndMaps(nil, k.structural, object) {
		found = append(found, one.Error())
	}
	if k.rules != nil && len(found) == 0 {
		var before any
		if old != nil {
			before = old
		}
		errs, _ := k.rules.Validate(context.Background(), nil, k.structural, object, before, celconfig.RuntimeCELCostBudget)
		for _, one := range errs {
			found = append(found, one.Error())
		}
	}
	return found
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(in)
	decoder.UseNumber()
	var definitions map[string]json.RawMessage
	must(decoder.Decode(&definitions))
	known := map[string]map[string]kind{}
	for name, raw := range definitions {
		var definition v1.CustomResourceDefinition
		must(json.Unmarshal(raw, &definition))
		known[name] = kinds(definition)
	}
	out := json.NewEncoder(os.Stdout)
	for decoder.More() {
		var one asked
		must(decoder.Decode(&one))
		object, _ := whole(one.Object).(map[string]any)
		old, _ := whole(one.Old).(map[string]any)
		version, _ := object["apiVersion"].(string)
		must(out.Encode(known[one.Definition][version].errors(object, old)))
	}
}
