//! The sources and the documents themselves.

mod pages;
mod rooms;
