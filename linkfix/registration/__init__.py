"""RFC 4395: names, URIs and registration templates of schemes, and IANA's registry."""
