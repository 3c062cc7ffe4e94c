"""Mailboxes of processes: messages that wait for their causes, and control messages that wait to be sent."""
