"""The accuracy of a model, or its distance from real numbers, and the bounds of a build for
both."""
