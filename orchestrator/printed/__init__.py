"""English questions over printed reports: rows and columns are found by the words of their header paths."""
