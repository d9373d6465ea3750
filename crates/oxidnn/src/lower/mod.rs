//! From what the user asked to what it means: one file per operation, and the attributes once for all.

mod activation;
mod epilogue;
mod view;
