"""Search in the texts of rows: from the topic of a question to the rows that are near it."""
