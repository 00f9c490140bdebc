"""Tests of the build systems' front ends and of the command line that they stand on."""
