"""The tape: the events of a run, in one format for re-executed runs, counter-examples of the explorer and live runs."""
