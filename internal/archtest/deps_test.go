package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingForTestsReachesAGame(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin"} {
		packages := goList(t, goos, "-deps", "-json=ImportPath,Deps,Module", "./...")
		requireNone(t, testDependencies(packages))
	}
}

// testDependencies finds packages of ours, other than helpers of tests, that depend on package testing or on a module that a game
// does not need.
func testDependencies(packages map[string]listed) []string {
	var findings []string
	for _, importPath := range slices.Sorted(maps.Keys(packages)) {
		folder, own := strings.CutPrefix(importPath, modulePath+"/")
		if !own || testHelpers[folder] != "" {
			continue
		}
		for _, dep := range packages[importPath].Deps {
			module := packages[dep].module()
			if dep == "testing" || module != "" && runtimeModules[module]+programModules[folder][module] == "" {
				findings = append(findings, fmt.Sprintf("%s depends on %s, which is for tests or not in runtimeModules", folder, dep))
			}
		}
	}
	return findings
}

func TestTestDependenciesAreFound(t *testing.T) {
	testify := listed{Module: &struct{ Path string }{"github.com/stretchr/testify"}}
	require.Equal(t, []string{
		"reliable depends on testing, which is for tests or not in runtimeModules",
		"udp depends on github.com/stretchr/testify/require, which is for tests or not in runtimeModules",
	}, testDependencies(map[string]listed{
		"github.com/stretchr/testify/require": testify,
		modulePath + "/udp":                   {Deps: []string{"fmt", "github.com/stretchr/testify/require"}},
		modulePath + "/reliable":              {Deps: []string{"testing"}},
		modulePath + "/wire":                  {Deps: []string{"fmt"}},
		modulePath + "/internal/golden":       {Deps: []string{"testing"}},
	}))
}
