"""The environment of a replication: cells, backbone, mobility, traffic and random streams."""
