"""The web page: server-rendered, over the same application functions as the API."""
