"""The offset of every activation in the arena: lifetimes, then placement, then a proof of both."""
