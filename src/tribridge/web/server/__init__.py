"""The server: the app, what guards it, and the JSON API."""
