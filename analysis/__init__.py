"""From trace tables to summary tables, figures and a report: read, DataFrame, DataFrame, write."""
