"""Scans HTML, SVG, MathML and XHTML in bytes: encoding, tokens, tree context, vocabulary, values, syntaxes of URLs."""
