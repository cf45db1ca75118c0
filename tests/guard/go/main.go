// A function on function-sdk-go: `network-go --code ifs|template --insecure --address HOST:PORT`.
// It composes the same network twice: by ifs in Go, and by a template as Helm has them.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"text/template"

	"google.golang.org/protobuf/types/known/structpb"
	"gopkg.in/yaml.v3"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

const version = "ec2.aws.m.upbound.io/v1beta1"

const text = `
{{- define "body" }}{ apiVersion: ` + version + `, kind: {{ .kind }}, spec: { forProvider: { region: eu-central-1` + "{{ range $k, $v := .fields }}, {{ $k }}: {{ $v }}{{ end }} } } }{{ end -}}" + `
vpc: {{ template "body" (body "VPC" "cidrBlock" "10.0.0.0/16") }}
{{- with .vpcId }}
subnet: {{ template "body" (body "Subnet" "vpcId" . "cidrBlock" "10.0.0.0/20") }}
table: {{ template "body" (body "RouteTable" "vpcId" .) }}
{{- range $name, $description := $.groups }}
group-{{ $name }}: {{ template "body" (body "SecurityGroup" "vpcId" $.vpcId "name" $name "description" $description) }}
{{- end }}
gateway: {{ template "body" (body "InternetGateway" "vpcId" .) }}
{{- end }}
`

type objects map[string]map[string]any

func object(kind string, pairs ...any) map[string]any {
	fields := map[string]any{"region": "eu-central-1"}
	for at := 0; at < len(pairs); at += 2 {
		fields[pairs[at].(string)] = pairs[at+1]
	}
	return map[string]any{"apiVersion": version, "kind": kind, "spec": map[string]any{"forProvider": fields}}
}

func byIfs(vpcID string, groups map[string]any) (objects, error) {
	found := objects{"vpc": object("VPC", "cidrBlock", "10.0.0.0/16")}
	if vpcID == "" {
		return found, nil
	}
	found["subnet"] = object("Subnet", "vpcId", vpcID, "cidrBlock", "10.0.0.0/20")
	found["table"] = object("RouteTable", "vpcId", vpcID)
	for name, description := range groups {
		found["group-"+name] = object("SecurityGroup", "vpcId", vpcID, "name", name, "description", description)
	}
	found["gateway"] = object("InternetGateway", "vpcId", vpcID)
	return found, nil
}

func byTemplate(vpcID string, groups map[string]any) (objects, error) {
	functions := template.FuncMap{"body": func(kind string, pairs ...any) map[string]any {
		fields := map[string]any{}
		for at := 0; at < len(pairs); at += 2 {
			fields[pairs[at].(string)] = pairs[at+1]
		}
		return map[string]any{"kind": kind, "fields": fields}
	}}
	parsed, err := template.New("network").Funcs(functions).Parse(text)
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	if err := parsed.Execute(&made, map[string]any{"vpcId": vpcID, "groups": groups}); err != nil {
		return nil, err
	}
	found := objects{}
	return found, yaml.Unmarshal(made.Bytes(), &found)
}

type runner struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
	code func(string, map[string]any) (objects, error)
}

func at(found *structpb.Struct, path ...string) *structpb.Value {
	var value *structpb.Value
	for _, key := range path {
		value = found.GetFields()[key]
		found = value.GetStructValue()
	}
	return value
}

func ready(one *fnv1.Resource) bool {
	for _, value := range at(one.GetResource(), "status", "conditions").GetListValue().GetValues() {
		fields := value.GetStructValue().GetFields()
		if fields["type"].GetStringValue() == "Ready" {
			return fields["status"].GetStringValue() == "True"
		}
	}
	return false
}

func (r *runner) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	observed := req.GetObserved()
	vpcID := at(observed.GetResources()["vpc"].GetResource(), "status", "atProvider", "id").GetStringValue()
	groups := at(observed.GetComposite().GetResource(), "spec", "groups").GetStructValue().AsMap()
	found, err := r.code(vpcID, groups)
	if err != nil {
		response.Fatal(rsp, err)
		return rsp, nil
	}
	if rsp.Desired.Resources == nil {
		rsp.Desired.Resources = map[string]*fnv1.Resource{}
	}
	for name, body := range found {
		made, err := structpb.NewStruct(body)
		if err != nil {
			response.Fatal(rsp, err)
			return rsp, nil
		}
		one := &fnv1.Resource{Resource: made}
		if ready(observed.GetResources()[name]) {
			one.Ready = fnv1.Ready_READY_TRUE
		}
		rsp.Desired.Resources[name] = one
	}
	if vpcID != "" {
		status, _ := structpb.NewStruct(map[string]any{"status": map[string]any{"vpcId": vpcID}})
		rsp.Desired.Composite = &fnv1.Resource{Resource: status}
	}
	return rsp, nil
}

func main() {
	code := flag.String("code", "ifs", "ifs or template")
	address := flag.String("address", ":9443", "where to listen")
	certificates := flag.String("tls-certs-dir", "", "tls.crt, tls.key and ca.crt")
	insecure := flag.Bool("insecure", false, "serve without transport security")
	flag.Parse()
	log, err := function.NewLogger(false)
	if err != nil {
		log = logging.NewNopLogger()
	}
	one := &runner{code: byIfs}
	if *code == "template" {
		one.code = byTemplate
	}
	_ = log
	err = function.Serve(one,
		function.Listen("tcp", *address),
		function.MTLSCertificates(*certificates),
		function.Insecure(*insecure))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
