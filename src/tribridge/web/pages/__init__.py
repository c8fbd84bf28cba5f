"""What a browser is shown: pages, fragments and live streams."""
