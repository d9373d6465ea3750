//! `libdnnl.so.3`: the C API of oneDNN 3 on [`oxidnn`].
//!
//! Every entry point checks its pointers and makes one call into the library. [`handle`] has the types of the pointers,
//! [`boundary`] turns results into status codes; the rest is one file per area of the API.
//!
//! The headers in `include/` are made from these files; after a change to an entry point run
//!
//! ```text
//! UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers
//! ```

#![allow(clippy::too_many_arguments, reason = "the C API has as many as it has")]

pub mod boundary;
pub mod handle;
pub mod vocabulary;

mod attr;
mod debug;
mod engine;
mod gemm;
mod graph;
mod graph_ocl;
mod host_memory;
mod later;
mod memory;
mod memory_desc;
mod ocl;
mod ocl_v1;
mod op_queries;
mod ops;
mod ops_contractions;
mod ops_norms;
mod ops_pool;
mod ops_rnn;
mod ops_sdpa;
mod post_ops;
mod primitive;
mod primitive_desc;
mod service;
mod settings;
mod stream;
mod unsupported;
mod version;
mod ze;
