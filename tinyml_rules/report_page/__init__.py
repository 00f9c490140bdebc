"""Reports -> one page of HTML that needs nothing else: no network, no clock, no paths."""
