"""Character encodings by the Encoding standard: labels, codecs, and the encoding of a document."""
