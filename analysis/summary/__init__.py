"""The summary of a results directory: reading, reduction of each run, pooling over replications, tables."""
