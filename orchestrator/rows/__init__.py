"""Questions about rows: which are alike, and later which texts fit."""
