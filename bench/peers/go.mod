module github.com/gannet-net/gannet/bench/peers

go 1.26.2

replace github.com/gannet-net/gannet => ../..

require (
	github.com/gannet-net/gannet v0.0.0-00010101000000-000000000000
	github.com/pion/logging v0.2.4
	github.com/pion/sctp v1.12.1
	github.com/pion/transport/v5 v5.1.4
	github.com/quic-go/quic-go v0.65.0
	github.com/stretchr/testify v1.12.1
	github.com/xtaci/kcp-go/v5 v5.7.5
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/flynn/noise v1.1.0 // indirect
	github.com/juju/ratelimit v1.0.2 // indirect
	github.com/klauspost/cpuid/v2 v2.4.1 // indirect
	github.com/klauspost/reedsolomon v1.14.2 // indirect
	github.com/pion/randutil v0.1.0 // indirect
	github.com/pion/transport/v3 v3.1.1 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/tjfoc/gmsm v1.4.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/net v0.62.0 // indirect
)
