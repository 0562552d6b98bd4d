package scenario

// childVariable names the program that a child process is to run.
const childVariable = "GANNET_SCENARIO_CHILD"

// children are the programs.
var children = map[string]func(){}
