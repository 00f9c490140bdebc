"""Tests of the models folder, of where its files come from, and of the samples."""
