"""Questions about the things in lists, over one or several tables: a grammar of its own beside the rules of figures."""
