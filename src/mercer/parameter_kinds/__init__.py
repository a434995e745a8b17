"""What a constructor parameter may be, a class for each kind; declared and used through `mercer.parameters`."""
