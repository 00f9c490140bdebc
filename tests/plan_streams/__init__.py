"""Random chains of operators and the zoo through the planner, in every schedule."""
