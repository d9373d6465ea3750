//! The kinds of cases. A kind is one module: how a case is made from random numbers, how its primitive descriptor is
//! created, and what its outputs must be. Add a module and a line in [`KINDS`].

mod binary;
mod concat;
mod convolution;
mod eltwise;
mod inner_product;
mod lrn;
mod matmul;
mod normalization;
mod pooling;
mod prelu;
mod recurrent;
mod reduction;
mod reorder;
mod resampling;
mod shuffle;
mod softmax;
mod sum;

pub use dnnl_dynamic::algorithm;

use crate::case::Case;
use crate::rng::Rng;

/// A kind of case.
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    generate: fn(&mut Rng) -> Case,
}

/// Every kind.
pub const KINDS: [Kind; 17] = [
    Kind { name: "reorder", generate: reorder::generate },
    Kind { name: "eltwise", generate: eltwise::generate },
    Kind { name: "binary", generate: binary::generate },
    Kind { name: "sum", generate: sum::generate },
    Kind { name: "concat", generate: concat::generate },
    Kind { name: "matmul", generate: matmul::generate },
    Kind { name: "convolution", generate: convolution::generate },
    Kind { name: "inner_product", generate: inner_product::generate },
    Kind { name: "softmax", generate: softmax::generate },
    Kind { name: "normalization", generate: normalization::generate },
    Kind { name: "lrn", generate: lrn::generate },
    Kind { name: "pooling", generate: pooling::generate },
    Kind { name: "reduction", generate: reduction::generate },
    Kind { name: "resampling", generate: resampling::generate },
    Kind { name: "shuffle", generate: shuffle::generate },
    Kind { name: "prelu", generate: prelu::generate },
    Kind { name: "rnn", generate: recurrent::generate },
];

/// Values of `dnnl_prop_kind_t`.
mod prop {
    pub const FORWARD_TRAINING: i32 = 64;
    pub const FORWARD_INFERENCE: i32 = 96;
    pub const BACKWARD: i32 = 128;
    pub const BACKWARD_DATA: i32 = 160;
}

/// Which case: everything needed to make it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseId {
    /// The run's seed.
    pub seed: u64,
    /// The kind's name.
    pub kind: String,
    /// The number within the kind.
    pub number: u64,
}

impl CaseId {
    /// Makes the case.
    pub fn generate(&self) -> Result<Case, String> {
        let kind = KINDS.iter().find(|kind| kind.name == self.kind);
        let kind = kind.ok_or_else(|| format!("no kind `{}`; there are {}", self.kind, kind_names().join(", ")))?;
        Ok((kind.generate)(&mut Rng::for_case(self.seed, kind.name, self.number)))
    }
}

impl std::fmt::Display for CaseId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--seed {} --case {}:{}", self.seed, self.kind, self.number)
    }
}

/// The names of all kinds.
pub fn kind_names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}
