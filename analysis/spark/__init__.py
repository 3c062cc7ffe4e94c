"""Spark sessions, their Java, and work distributed over Spark tasks."""
