"""Tests of `init`: its projects built and tested by the commands that they show."""
