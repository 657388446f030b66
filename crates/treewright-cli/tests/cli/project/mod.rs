//! The program against the tables of learners and the documents.

mod parameters;
mod registration;
mod transcripts;
