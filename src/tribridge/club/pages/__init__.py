"""What the browser gets: pages, fragments and live streams."""
