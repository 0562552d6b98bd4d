module github.com/gannet-net/gannet/bench/codecs

go 1.26.0

replace github.com/gannet-net/gannet => ../..

require (
	github.com/gannet-net/gannet v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/tinylib/msgp v1.6.4
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/philhofer/fwd v1.2.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

tool (
	github.com/gannet-net/gannet/cmd/netgen
	github.com/tinylib/msgp
)
