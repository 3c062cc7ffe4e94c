"""One HTML file that explains itself and asks the network for nothing."""
