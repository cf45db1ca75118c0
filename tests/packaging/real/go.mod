module example.org/package-parser

go 1.25

require (
	github.com/Masterminds/semver/v3 v3.5.0
	github.com/crossplane/crossplane-runtime/v2 v2.4.0
	github.com/google/go-containerregistry v0.21.7
)
