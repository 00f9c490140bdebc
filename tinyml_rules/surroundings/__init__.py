"""What goes with an inference and is not part of it: decisions, raw inputs, marks, hooks."""
