"""One thin layer for each build system; all of them stand on the same compiler."""
