"""The command line. Modules import heavy dependencies only when a command runs."""
