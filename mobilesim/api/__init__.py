"""What `import mobilesim` offers to Python programs. The command line is built on it."""
