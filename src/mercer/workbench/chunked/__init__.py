"""`mercer.train` on tables in chunks: read whole where they fit, and else learned by passes over the chunks."""
