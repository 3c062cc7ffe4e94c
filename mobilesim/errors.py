"""What a user can put right, as opposed to what only we can."""


class UserError(Exception):
    """Bad input or a hostile surrounding. Its message is one line: where, what is wrong, what would be right."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
