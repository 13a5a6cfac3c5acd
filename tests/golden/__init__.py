"""Tables and figures of other people's programs, and their readers (readers)."""
