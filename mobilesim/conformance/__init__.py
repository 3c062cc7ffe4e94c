"""The conformance suite for orderings and placements: their contract, random executions and schedules, explorations."""
