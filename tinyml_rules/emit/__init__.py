"""From program and plan to C text.  Decides nothing: it asks steps, kernels and the plan."""
