"""Commands on tapes, which have every packet of a run."""
