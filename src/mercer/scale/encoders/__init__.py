"""How encoders are fitted by passes over chunks: what each learns (fits.py) from counts that merge (statistics.py)."""
