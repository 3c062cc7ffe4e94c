"""Counts and JSON documents as text."""


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def as_json(document: object) -> str:
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
