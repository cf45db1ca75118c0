package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// inRegistry runs a command that has to do with a registry:
//
//	serve none|basic|bearer|referrers|old    a registry on a free port of 127.0.0.1, whose address is printed
//	crane FILE REFERENCE       what crane push does; prints the digest
//	xpkg FILE REFERENCE        what crossplane xpkg push does; prints the digest
//	read REFERENCE PLATFORM    what the package manager reads; prints the digest and the kinds of the objects
//	referrers REPOSITORY@DIGEST    what refers to a manifest; prints the type, and the content, of each
func inRegistry(command string, given []string) string {
	switch command {
	case "serve":
		serve(given[0])
	case "crane":
		image := must(crane.Load(given[0]))
		must(0, crane.Push(image, given[1]))
		return must(image.Digest()).String()
	case "xpkg":
		image := must(xpkg.AnnotateLayers(must(tarball.ImageFromPath(given[0], nil))))
		reference := must(name.ParseReference(given[1]))
		must(0, remote.Write(reference, image, remote.WithAuthFromKeychain(authn.DefaultKeychain)))
		return must(image.Digest()).String()
	case "read":
		reference := must(name.ParseReference(given[0]))
		platform := must(v1.ParsePlatform(given[1]))
		image := must(remote.Image(reference, remote.WithPlatform(*platform), remote.WithAuthFromKeychain(authn.DefaultKeychain)))
		must(0, validate.Image(image))
		return must(image.Digest()).String() + " " + strings.Join(must(kindsIn(image)), " ")
	case "referrers":
		digest := must(name.NewDigest(given[0]))
		index := must(must(remote.Referrers(digest)).IndexManifest())
		var found []string
		for _, one := range index.Manifests {
			image := must(remote.Image(digest.Context().Digest(one.Digest.String())))
			for _, layer := range must(image.Layers()) {
				content := must(io.ReadAll(must(layer.Compressed())))
				found = append(found, string(must(layer.MediaType()))+" "+string(content))
			}
		}
		return strings.Join(found, "\n")
	}
	return must("", fmt.Errorf("no such command: %s", command))
}

// serve runs a registry. It takes the login user:secret, or a token that it gives for that login.
func serve(login string) {
	storage := registry.New(registry.WithReferrersSupport(login == "referrers"))
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:secret"))
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	address := listener.Addr().String()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get("Authorization")
		if r.URL.Path == "/token" {
			if given != basic || r.URL.Query().Get("scope") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, `{"token": "t0ken"}`)
			return
		}
		challenges := map[string]string{
			"basic":  `Basic realm="here"`,
			"bearer": `Bearer realm="http://` + address + `/token",service="here"`,
		}
		wanted := map[string]string{"none": given, "referrers": given, "old": given, "basic": basic, "bearer": "Bearer t0ken"}[login]
		if given != wanted {
			w.Header().Set("WWW-Authenticate", challenges[login])
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"errors": [{"code": "UNAUTHORIZED", "message": "log in first"}]}`)
			return
		}
		if login == "old" && r.Method == "PUT" && strings.Contains(r.URL.Path, "/manifests/sha256") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"errors": [{"code": "MANIFEST_INVALID", "message": "no subject here"}]}`)
			return
		}
		storage.ServeHTTP(w, r)
	})
	fmt.Println(address)
	must(0, http.Serve(listener, handler))
}
