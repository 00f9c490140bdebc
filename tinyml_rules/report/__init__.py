"""What a person is told of a compiled model: figures, pictures, tables, advice."""
