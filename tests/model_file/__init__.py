"""Tests of the reader, on models made for it and on broken ones."""
