package report

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Environment is where and how a measurement was made.
type Environment struct {
	Command    string            `json:"command"`
	When       string            `json:"when"`
	Processor  string            `json:"processor"`
	Cores      int               `json:"cores"`
	Kernel     string            `json:"kernel"`
	Go         string            `json:"go"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	System     map[string]string `json:"system"` // settings of the kernel
	Modules    map[string]string `json:"modules"`
}

// settings are those of the kernel that matter to sockets.
var settings = []string{
	"net/core/rmem_max", "net/core/wmem_max", "net/ipv4/tcp_congestion_control", "net/ipv4/ip_local_port_range",
}

// Here describes this process and its machine.
func Here(command []string) Environment {
	e := Environment{
		Command: strings.Join(command, " "), When: time.Now().UTC().Format(time.DateOnly),
		Processor: processor(), Cores: runtime.NumCPU(), Kernel: firstLine("/proc/sys/kernel/osrelease"),
		Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		System: map[string]string{}, Modules: map[string]string{},
	}
	for _, s := range settings {
		e.System[s] = firstLine("/proc/sys/" + s)
	}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, m := range built.Deps {
			e.Modules[m.Path] = m.Version
		}
	}
	return e
}

func (e *Environment) version(module string) string { return e.Modules[module] }

func firstLine(file string) string {
	content, _ := os.ReadFile(file)
	line, _, _ := bytes.Cut(content, []byte("\n"))
	return strings.Join(strings.Fields(string(line)), " ")
}

// processor is the model's name.
func processor() string {
	content, _ := os.ReadFile("/proc/cpuinfo")
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
