"""The command `bough`: one file for each verb, listed in main.py."""
