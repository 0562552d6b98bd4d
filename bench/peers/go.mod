module github.com/gannet-net/gannet/bench/peers

go 1.26.0

replace github.com/gannet-net/gannet => ../..

require golang.org/x/sys v0.50.0
