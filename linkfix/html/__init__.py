"""HTML, SVG and MathML as bytes: tokens, tree context, vocabulary, syntaxes; nothing here knows of bases."""
