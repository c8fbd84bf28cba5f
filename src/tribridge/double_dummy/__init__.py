"""Double dummy: how many tricks the cards can take with all hands visible."""
