"""The demo: invented workbooks, questions about them, and an independent computation of the right answers."""
