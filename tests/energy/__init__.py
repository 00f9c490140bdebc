"""Energy of an inference, what a battery gives of it, and budgets of both."""
