"""What the houses stand on: errors, files, JSON, statistics, arrays, parallel work; no bridge."""
