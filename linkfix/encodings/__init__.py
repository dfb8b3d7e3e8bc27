"""Character encodings: labels, codecs, and the encoding of one document."""
