"""What the verbs do. Imported when a verb runs, so that the heavy libraries stay out of `--help`."""
