"""How tables are written: text files, Parquet, ARFF, libsvm, data frames; each reader gives a Source."""
