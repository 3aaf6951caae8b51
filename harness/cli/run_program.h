// The program below main(): parses the command line and runs the chosen command.
#pragma once

namespace harness {

// Returns the exit status. Lets exceptions pass.
int run_program(int argc, char** argv);

}  // namespace harness
