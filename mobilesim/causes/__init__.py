"""Why was this message late? Explanations of delays from the tables of a finished run, without running it again."""
