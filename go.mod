module github.com/gannet-net/gannet

go 1.26
