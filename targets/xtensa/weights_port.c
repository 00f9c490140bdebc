/* Weights of test images on Xtensa: a file in the runner's working directory, by simulator calls. */
#include "simulator_calls.h"

#include "file_weights.h"
