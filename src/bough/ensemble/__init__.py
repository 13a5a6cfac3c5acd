"""Many trees for one answer: what grows them and what they are grown for."""
