"""What a comparison starts from: `row_columns` taken out of the table, `columns` to look at, `splits` of the rows."""
