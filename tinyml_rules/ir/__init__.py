"""The data that flows through the compiler: Graph, then Program.  No behaviour beyond lookups."""
