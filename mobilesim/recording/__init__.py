"""Recording of a run: message timelines, hand-offs, disconnections, bytes and station load."""
