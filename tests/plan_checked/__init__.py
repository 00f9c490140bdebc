"""Builds that overwrite dead bytes give the outputs of TFLM, unless the plan is wrong."""
