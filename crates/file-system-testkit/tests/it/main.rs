//! Tests of the testkit itself.

mod saboteurs;
