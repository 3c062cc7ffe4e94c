"""Directories of sweeps: manifests, locks, cleanup, and the compaction of many small files."""
