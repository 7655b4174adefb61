//! The samples in `docs/` are true: each is run, on a terminal, and compared.
