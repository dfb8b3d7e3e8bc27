"""The conversion of parsed trees, whatever their library: see `linkfix.hooks.lxml` and the other hooks of parsers."""
