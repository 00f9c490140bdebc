"""A page in which a firmware runs: an emulator in JavaScript, its image, inputs and outputs."""
