"""What each learner of a contest found, as plain data: one module a family of learners."""
