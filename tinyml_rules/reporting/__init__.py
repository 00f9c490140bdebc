"""The report of a compiled model: figures, pictures, tables, advice."""
