"""Question -> proved answer."""
