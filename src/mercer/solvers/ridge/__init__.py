"""Linear systems of a kernel matrix, (K + N) c = y: by one factorisation, for a path of penalties, by gradients."""
