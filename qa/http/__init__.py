"""The HTTP service: a thin shell around what the command line does, too."""
