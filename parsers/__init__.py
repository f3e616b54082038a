"""Files -> typed tables in which every value knows its cell."""
