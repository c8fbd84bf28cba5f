"""Playing at a table of a server elsewhere, through its JSON API, without the server's packages."""
