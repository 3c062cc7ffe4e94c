"""The oracle: an independent check of every delivery against causal order, FIFO order and exactly-once delivery."""
