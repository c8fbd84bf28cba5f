"""What everything stands on and nothing here knows bridge: errors, files, JSON, statistics, arrays, parallel work."""
