package proxy_test

import (
	"fmt"
	"net"
	"time"

	"github.com/gannet-net/gannet/sim"
	"github.com/gannet-net/gannet/sim/proxy"
)

// A datagram reaches the host by way of the proxy, 25 ms later.
func Example() {
	host, _ := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	defer host.Close()
	p, err := proxy.New(proxy.Config{
		Listen: "127.0.0.1:0",
		To:     host.LocalAddr().String(),
		Up:     sim.Conditions{Delay: 25 * time.Millisecond},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	go p.Run()

	client, _ := net.Dial("udp4", p.Addr().String())
	defer client.Close()
	sent := time.Now()
	client.Write([]byte("hello"))
	buf := make([]byte, 1200)
	n, _ := host.Read(buf)
	fmt.Println(string(buf[:n]), time.Since(sent) >= 25*time.Millisecond)
	// Output: hello true
}
