"""Traffic: send times, destinations and replies."""
