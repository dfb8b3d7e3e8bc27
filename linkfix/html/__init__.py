"""Scanner of HTML, SVG, MathML and XHTML bytes: encoding, tokens, tree context, vocabulary, values, URL syntaxes."""
