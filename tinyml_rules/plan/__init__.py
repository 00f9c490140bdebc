"""Where every activation lies in the arena: lifetimes, then placement, then a proof of both."""
