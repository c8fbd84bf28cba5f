"""Players: strategies for the cards."""
