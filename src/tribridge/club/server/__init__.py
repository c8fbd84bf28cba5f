"""The server: the app, its guards and the JSON API."""
