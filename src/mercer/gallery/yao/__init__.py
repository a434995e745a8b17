"""Examples of Yao: kernels for categorical data and ensemble selection."""
