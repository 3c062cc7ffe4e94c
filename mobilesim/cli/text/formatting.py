"""JSON documents as text."""


def as_json(document: object) -> str:
    import json

    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
