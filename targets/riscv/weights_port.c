/* Weights of test images on RISC-V: a file in the runner's working directory, by semihosting. */
#include "semihosting.h"

#include "file_weights.h"
