"""The command line. Modules here stay light: whatever is heavy is imported when a command runs."""
