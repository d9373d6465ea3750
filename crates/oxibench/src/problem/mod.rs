//! Problems, ready to be run: an operation, its tensors with what to fill them with, its attributes, and what it costs.
//!
//! One module per family of primitives reads benchdnn's descriptors for it. Nothing here touches a library but
//! [`Operation::create`], which is handed one.

mod attention;
mod attributes;
mod contraction;
mod elementwise;
mod memory;
mod normalization;
mod rnn;
mod shape;
mod window;

pub use attributes::{Attributes, PostOp};

use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::Api;
use dnnl_dynamic::create::{Desc, Made, Maker};
use dnnl_dynamic::dtype::DataType;
use dnnl_dynamic::handle::{BorrowedDesc, MemoryDesc};

/// What a tensor holds before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// Small whole numbers, whose products sum up exactly in any order.
    Integers,
    /// Twice these.
    EvenIntegers,
    /// Numbers around zero.
    Signed,
    /// Powers of two from a half to four.
    Positive,
    /// Numbers that keep long sums of products small.
    Small,
    /// One number everywhere.
    Constant(f64),
    /// Zero, and minus infinity where the column is more than this behind the row of a matrix.
    Causal(i64),
    /// Nothing of use: it is written only.
    Nothing,
}

/// What a primitive does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads it.
    Input,
    /// Writes it.
    Output,
}

/// One argument of a primitive.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The argument's index in the C API.
    pub index: i32,
    /// What happens to it.
    pub role: Role,
    /// Dimensions.
    pub dims: Vec<i64>,
    /// Dimensions the primitive is created with, where they are not those: unknown until it runs, or of a step before the last.
    pub creation_dims: Option<Vec<i64>>,
    /// Element type.
    pub dt: DataType,
    /// Arrangement.
    pub tag: Arrangement,
    /// Whether it is one value in host memory.
    pub host: bool,
    /// Contents.
    pub fill: Fill,
    /// What else its contents depend on: mostly the index, the same number where two arguments should be alike.
    pub seed: i32,
    /// The step whose destination it is, where a problem has several.
    pub made_by: Option<usize>,
}

impl Arg {
    /// A tensor that is read.
    pub fn input(index: i32, dims: &[i64], dt: DataType, tag: Arrangement, fill: Fill) -> Arg {
        Arg { fill, role: Role::Input, ..Arg::output(index, dims, dt, tag) }
    }

    /// A tensor that is written.
    pub fn output(index: i32, dims: &[i64], dt: DataType, tag: Arrangement) -> Arg {
        Arg {
            index,
            role: Role::Output,
            dims: dims.to_vec(),
            creation_dims: None,
            dt,
            tag,
            host: false,
            fill: Fill::Nothing,
            seed: index,
            made_by: None,
        }
    }

    /// The same with the contents of another argument.
    pub fn like(self, seed: i32) -> Arg {
        Arg { seed, ..self }
    }

    /// The same as the destination of an earlier step.
    pub fn made_by(self, step: usize) -> Arg {
        Arg { made_by: Some(step), fill: Fill::Nothing, ..self }
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.dims.iter().product::<i64>() as usize
    }
}

/// The descriptors of one tensor.
pub struct TensorDescs<'a> {
    /// The argument's index.
    pub index: i32,
    /// What the primitive is created with, if it is told.
    pub creation: Option<MemoryDesc<'a>>,
    /// What the memory is like, if that is not for the primitive to choose.
    pub memory: Option<MemoryDesc<'a>>,
}

/// The descriptors of a problem's tensors.
pub struct Descs<'a>(pub Vec<TensorDescs<'a>>);

impl<'a> Descs<'a> {
    fn find(&self, index: i32) -> Option<&TensorDescs<'a>> {
        self.0.iter().find(|descs| descs.index == index)
    }

    /// What the primitive is created with for an argument, if it is told.
    pub fn get(&self, index: i32) -> Desc<'_> {
        self.find(index)?.creation.as_ref().map(MemoryDesc::borrow)
    }

    /// The same for arguments that follow each other.
    pub fn list(&self, first: i32, count: usize) -> Vec<BorrowedDesc<'_>> {
        (0..count as i32).filter_map(|i| self.get(first + i)).collect()
    }

    /// What an argument's memory is like, if that is not for the primitive to choose.
    pub fn memory(&self, index: i32) -> Desc<'_> {
        self.find(index)?.memory.as_ref().map(MemoryDesc::borrow)
    }
}

/// The part of a problem that makes its primitive descriptor.
pub trait Operation {
    /// Calls the library.
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a>;

    /// Whether a library has it.
    fn is_in(&self, _api: &Api) -> bool {
        true
    }
}

/// How far a result may be from another library's, besides the rounding of its own type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// Values are only moved.
    Exact,
    /// Sums are exact with the values the tensors are filled with; only the result is rounded.
    Rounded,
    /// Several roundings, exponentials, quotients.
    Computed,
    /// Transforms that lose digits, as Winograd's, or many steps in a row.
    Coarse,
    /// Operands or steps in between are rounded to a narrow type.
    Narrow,
}

/// Everything needed to run.
pub struct Problem {
    /// The operation.
    pub operation: Box<dyn Operation>,
    /// Its arguments, those of the attributes included.
    pub args: Vec<Arg>,
    /// Its attributes.
    pub attributes: Attributes,
    /// Operations on numbers, by the usual way of counting.
    pub flops: f64,
    /// How close results must be.
    pub accuracy: Accuracy,
    /// Whether the result goes where the source was.
    pub in_place: bool,
    /// The forward pass a backward one belongs to.
    pub forward: Option<Box<Problem>>,
    /// The same in steps of other primitives, for libraries that do not have this one.
    pub steps: Vec<Problem>,
}

impl Problem {
    /// A problem without attributes.
    pub fn new(operation: impl Operation + 'static, args: Vec<Arg>, flops: f64, accuracy: Accuracy) -> Problem {
        Problem {
            operation: Box::new(operation),
            args,
            attributes: Attributes::default(),
            flops,
            accuracy,
            in_place: false,
            forward: None,
            steps: Vec::new(),
        }
    }

    /// The same as the backward pass of a forward one.
    pub fn after(mut self, forward: Problem) -> Problem {
        self.forward = Some(Box::new(forward));
        self
    }

    /// Makes the problem that was asked for.
    pub fn build(spec: &Spec) -> Result<Problem, String> {
        let driver = driver(&spec.driver).ok_or_else(|| format!("no primitive --{}", spec.driver))?;
        let known = |name: &str| driver.options.contains(&name) || COMMON.contains(&name);
        if let Some(unknown) = spec.options.keys().find(|name| !known(name)) {
            return Err(format!("--{} has no option --{unknown}", spec.driver));
        }
        let mut problem = (driver.build)(spec)?;
        attributes::apply(spec, &mut problem)?;
        memory::apply(spec, &mut problem)?;
        Ok(problem)
    }
}

/// A primitive the tool knows.
pub struct Driver {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its options, besides those of every primitive.
    pub options: &'static [&'static str],
    build: fn(&Spec) -> Result<Problem, String>,
}

/// Options of every primitive. The last three choose between implementations and tags; they are understood so that benchdnn's
/// files can be read, and change nothing.
pub const COMMON: [&str; 15] = [
    "dt",
    "dir",
    "mb",
    "attr-post-ops",
    "attr-scales",
    "attr-zero-points",
    "attr-fpmath",
    "attr-scratchpad",
    "attr-deterministic",
    "inplace",
    "strides",
    "match",
    "impl",
    "skip-impl",
    "allow-enum-tags-only",
];

const CONTRACTION: &[&str] = &["stag", "wtag", "dtag", "bia-dt", "bia_mask", "alg", "runtime_dims_masks"];

const RECURRENT: &[&str] =
    &["prop", "cfg", "alg", "direction", "activation", "l", "t", "with-peephole", "with-projection", "trivial-strides"];

/// Every primitive.
pub const DRIVERS: [Driver; 21] = [
    Driver { name: "matmul", options: CONTRACTION, build: contraction::matmul },
    Driver { name: "conv", options: CONTRACTION, build: contraction::convolution },
    Driver { name: "deconv", options: CONTRACTION, build: contraction::convolution },
    Driver { name: "ip", options: CONTRACTION, build: contraction::inner_product },
    Driver { name: "eltwise", options: &["tag", "alg", "alpha", "beta"], build: elementwise::eltwise },
    Driver { name: "binary", options: &["sdt", "ddt", "stag", "dtag", "alg"], build: elementwise::binary },
    Driver { name: "prelu", options: &["sdt", "stag"], build: elementwise::prelu },
    Driver { name: "sum", options: &["sdt", "ddt", "stag", "dtag", "scales"], build: elementwise::sum },
    Driver {
        name: "softmax",
        options: &["sdt", "ddt", "stag", "dtag", "tag", "alg", "axis"],
        build: normalization::softmax,
    },
    Driver { name: "lnorm", options: &["tag", "stat_tag", "ss_dt", "flags"], build: normalization::layer },
    Driver { name: "bnorm", options: &["tag", "flags"], build: normalization::batch },
    Driver { name: "gnorm", options: &["tag", "flags"], build: normalization::group },
    Driver { name: "lrn", options: &["tag", "alg"], build: normalization::local_response },
    Driver { name: "pool", options: &["tag", "alg"], build: window::pooling },
    Driver { name: "resampling", options: &["sdt", "ddt", "tag", "alg"], build: window::resampling },
    Driver { name: "reduction", options: &["sdt", "ddt", "stag", "dtag", "alg", "p", "eps"], build: shape::reduction },
    Driver { name: "shuffle", options: &["tag", "axis", "group"], build: shape::shuffle },
    Driver { name: "concat", options: &["sdt", "ddt", "stag", "dtag", "axis"], build: shape::concat },
    Driver { name: "reorder", options: &["sdt", "ddt", "stag", "dtag"], build: shape::reorder },
    Driver { name: "rnn", options: RECURRENT, build: rnn::rnn },
    Driver { name: "sdpa", options: &["qtag", "ktag", "vtag", "dtag", "mask"], build: attention::attention },
];

/// A primitive by its name.
pub fn driver(name: &str) -> Option<&'static Driver> {
    DRIVERS.iter().find(|driver| driver.name == name)
}

/// Which way a primitive goes, by benchdnn's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Direction {
    ForwardBias,
    Forward,
    Inference,
    BackwardData,
    BackwardWeights,
    BackwardWeightsBias,
    Backward,
}

impl Direction {
    /// The direction an option names.
    pub fn of(spec: &Spec, option: &str, default: Direction) -> Result<Direction, String> {
        use Direction::*;
        let name = spec.text(option).map(str::to_ascii_uppercase);
        Ok(match name.as_deref() {
            None => default,
            Some("FWD_B") => ForwardBias,
            Some("FWD_D") => Forward,
            Some("FWD_I") => Inference,
            Some("BWD_D") => BackwardData,
            Some("BWD_W") => BackwardWeights,
            Some("BWD_WB") => BackwardWeightsBias,
            Some("BWD_DW") => Backward,
            Some(other) => return Err(format!("--{option}={other}: no such direction")),
        })
    }

    /// The C API's value of it.
    pub fn prop_kind(self) -> i32 {
        use Direction::*;
        match self {
            ForwardBias | Forward => 64,
            Inference => 96,
            BackwardData => 160,
            BackwardWeights | BackwardWeightsBias => 192,
            Backward => 128,
        }
    }

    /// Whether it computes results and not gradients.
    pub fn is_forward(self) -> bool {
        matches!(self, Direction::ForwardBias | Direction::Forward | Direction::Inference)
    }
}

/// The value of an algorithm's name.
fn algorithm(spec: &Spec, default: &str, names: &[(&str, i32)]) -> Result<i32, String> {
    let name = spec.or("alg", default);
    let found = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| *value).ok_or_else(|| format!("--alg={name}: no such algorithm of --{}", spec.driver))
}

/// Elements of a tensor as a number to count operations with.
fn count(dims: &[i64]) -> f64 {
    dims.iter().map(|d| *d as f64).product()
}
