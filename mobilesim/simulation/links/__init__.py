"""Links of the simulated network: wireless channels and wired links."""
