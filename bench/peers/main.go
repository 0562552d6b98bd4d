package main

import (
	"fmt"
	"os"

	"github.com/gannet-net/gannet/bench/peers/drivers"
	"github.com/gannet-net/gannet/bench/peers/workload"
)

func main() {
	for _, w := range workload.All() {
		for _, d := range drivers.All() {
			if w.Fits(&d) {
				results, err := w.Measure(workload.Run{Short: true}, &d)
				fmt.Println(w.Name, d.Name, results, err)
			}
		}
	}
	os.Exit(0)
}
