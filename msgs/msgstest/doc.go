// Package msgstest holds the tests that every catalogue passes. Netgen writes a test file beside each catalogue that calls them with samples of its messages:
//
//	func TestMessages(t *testing.T)       { msgstest.Run(t, &Catalogue, samples()...) }
//	func TestMessageVectors(t *testing.T) { msgstest.Golden(t, "testdata/znet.txt", &Catalogue, samples()...) }
//	func FuzzMessages(f *testing.F)       { msgstest.Fuzz(f, &Catalogue, samples()...) }
//
// Generated code and the description of the catalogue are two statements of the same bytes (MESSAGES.md 3.1). The tests hold them against each other: what a
// message encodes to is walked by the description, mutated at every place that the walk knows to be delicate, and decoded
// again. A failure says what is wrong, with the bytes, and what to do.
//
// Beside gannet the tests import the standard library alone, so that they cost a game no dependency.
package msgstest
