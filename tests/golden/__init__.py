"""Tables and figures of other people's programs (data, folds, j48), and their readers (readers).

data and folds: Weka's sample tables with the declared kinds and category orders, and fold numbers. j48:
what Weka 3.9.7 (rep and Id3: 3.6.14) gave for them, as `options` in each file say; `distributions` are
the distinct class distributions of the training rows at full precision, `row_distribution` says which one
each row got.
"""
