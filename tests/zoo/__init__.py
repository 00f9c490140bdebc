"""Tests of the manifests, of where model files come from, and of the samples."""
