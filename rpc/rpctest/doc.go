// Package rpctest holds the tests that every contract passes. Netgen writes them into znet_test.go, with samples of the arguments and results of its methods:
//
//	func TestCalls(t *testing.T)       { rpctest.Run(t, &Contract, callSamples()...) }
//	func TestCallVectors(t *testing.T) { rpctest.Golden(t, "testdata/zrpc.txt", &Contract, callSamples()...) }
//	func FuzzMessages(f *testing.F)    { rpctest.Fuzz(f, &Contract, callSamples(), samples()...) }
//
// Arguments and results are tried as if each were a message of a catalogue of its own, so that package msgstest, whose tests these are, can hold generated code against the
// description. What stands before the arguments of a call is not generated, and is tested with package rpc.
//
// A contract without messages gets no fuzz target. To fuzz it, write one that calls [Fuzz].
package rpctest
