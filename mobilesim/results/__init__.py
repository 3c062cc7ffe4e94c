"""Results directories: table schemas, file layout, Parquet files, manifests, locks. The only room that `analysis` may
enter.
"""
