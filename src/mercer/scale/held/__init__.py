"""What is made of each chunk and stays where it was made, to be asked again and again."""
