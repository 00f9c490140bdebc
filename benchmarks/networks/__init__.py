"""Small networks that the quantizer was not tuned to, trained here on data that packages bring, and
how good their integer models are: `./tinyml quantizer-survey`."""
