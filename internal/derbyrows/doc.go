// Package derbyrows has no code but its tests: each thing that is promised of package derby, as a subtest of its own. testdata/rows.txt lists them, testdata/vectors.txt has the bytes of
// each message as somebody would write them who has the table of messages and no encoder, and testdata/mutants.txt what came of breaking the code for twenty of them.
package derbyrows
