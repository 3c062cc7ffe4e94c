"""Results directories: table schemas, file layout, Parquet files, manifests and locks."""
