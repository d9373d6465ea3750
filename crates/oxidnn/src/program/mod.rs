//! Tensor programs: what a primitive computes, as expressions over elements.
//!
//! A [`Program`] is a short list of [`Stage`]s. A stage says, for each point of a domain of axes, which elements of its
//! outputs get which value. Values and index arithmetic are nodes of one hash-consed graph, so a common sub-expression
//! exists once, and fusing two operations is substitution.
//!
//! The fact a newcomer gets wrong: extents and strides are [`Param`](Node::Param)s, not constants. Two programs that
//! differ only in parameter *values* are the same code. A constant in the graph is a promise that it belongs to the
//! structure: an inner block, a unit stride, an axis of extent one that was dropped.

mod analyze;
mod build;
mod coarse;
mod expr;
mod idle;
mod merge;
mod nans;
mod print;
mod whole;

pub use expr::{Builder, Expr, Operand};
pub use whole::range_of;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::desc::DataType;

/// A node of a program's expression graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct E(u32);

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Position in the program's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// An axis of a stage's domain or of a reduction.
    AxisId,
    /// An integer argument: an extent, a stride, an offset.
    ParamId,
    /// An f32 argument: a coefficient of an algorithm, a host scalar.
    ScalarId,
    /// A tensor.
    TensorId,
    /// A group of consecutive stages that runs several times.
    RepeatId
}

/// The type of a node's value. Storage types exist only at loads and stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// A condition.
    Bool,
    /// Index arithmetic: 32 bits where the tensors allow, else 64. Never negative except inside a guard.
    Index,
    /// A 32-bit integer value; wraps.
    S32,
    /// A single-precision value.
    F32,
    /// A double-precision value.
    F64,
}

impl Ty {
    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    /// The data type that keeps numbers of this type as they are.
    pub fn storage(self) -> DataType {
        match self {
            Ty::F64 => DataType::F64,
            Ty::S32 => DataType::S32,
            Ty::F32 | Ty::Bool | Ty::Index => DataType::F32,
        }
    }
}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negation.
    Neg,
    /// Absolute value.
    Abs,
    /// Square root.
    Sqrt,
    /// e to the power of the value.
    Exp,
    /// e to the power of the value, less one.
    Expm1,
    /// Natural logarithm.
    Log,
    /// Natural logarithm of one plus the value.
    Log1p,
    /// Hyperbolic tangent.
    Tanh,
    /// The share of a normal distribution, of mean 0 and variance 1, that is below the value.
    Phi,
    /// Round to the nearest integer, ties to even.
    Rint,
    /// Round down.
    Floor,
    /// Logical negation of a condition.
    Not,
    /// The bits of an f32 as [`Ty::S32`].
    ToBits,
    /// The f32 with these bits.
    FromBits,
    /// The value as it would come back after being stored in this type.
    Quantize(DataType),
    /// The value, or one that is rounded as above, as a schedule likes: a math mode allows both.
    Nearly(DataType),
}

/// Functions of two values of one type. Comparisons give [`Ty::Bool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// For [`Ty::Index`], rounds towards zero of non-negative operands.
    Div,
    /// Remainder of non-negative indices.
    Rem,
    Min,
    Max,
    Pow,
    /// Of conditions, or of the bits of integers.
    And,
    /// Of conditions, or of the bits of integers.
    Or,
    /// Of the bits of integers.
    Xor,
    /// Of [`Ty::S32`], filling with zeros.
    Shl,
    /// Of [`Ty::S32`], filling with zeros.
    Shr,
    Lt,
    Le,
    Eq,
    Ne,
}

/// How a reduction combines values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Sum,
    Prod,
    Min,
    Max,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant condition.
    Bool(bool),
    /// A constant index; part of the program's structure.
    Index(i64),
    /// A constant integer.
    S32(i32),
    /// A constant, by its bits.
    F32(u32),
    /// A constant, by its bits.
    F64(u64),
    /// The position along an axis.
    Axis(AxisId),
    /// An integer argument, of type [`Ty::Index`].
    Param(ParamId),
    /// A floating-point argument, of type [`Ty::F32`].
    Scalar(ScalarId),
    /// The element of a tensor at a physical offset, converted to `ty`; zero where the guard does not hold.
    Load {
        /// From where.
        tensor: TensorId,
        /// Physical element offset.
        offset: E,
        /// Read only where this holds.
        guard: Option<E>,
        /// Type of the value.
        ty: Ty,
    },
    /// A function of one value.
    Unary(UnaryOp, E),
    /// A function of two values.
    Binary(BinaryOp, E, E),
    /// `if .0 { .1 } else { .2 }`; both are evaluated.
    Select(E, E, E),
    /// Conversion between value types; floats become integers by truncation, saturating.
    Convert(Ty, E),
    /// Combines `body` over all points of `axes`, outermost first.
    Reduce {
        /// How.
        op: ReduceOp,
        /// Over which axes.
        axes: Vec<AxisId>,
        /// What, at each point.
        body: E,
    },
    /// The `lane`-th of the four words of Philox4x32-10 for a counter and a key, all of type [`Ty::S32`].
    Philox {
        /// The counter, lowest word first.
        counter: [E; 4],
        /// The key, lowest word first.
        key: [E; 2],
        /// Which word, 0 to 3.
        lane: E,
    },
}

/// An axis: positions `0..extent`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// A name for people.
    pub name: &'static str,
    /// A constant, parameter, or expression over outer axes.
    pub extent: E,
}

/// Where the value of an argument comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source<T> {
    /// Known when the primitive is created.
    Known(T),
    /// Read from the host-scalar memory of an execution argument, of this type.
    HostScalar {
        /// The execution argument.
        arg: i32,
        /// How its value is stored.
        data_type: DataType,
    },
    /// Another value each time the stages of a repeat run: `first`, `first + by` and so on. Only for [`Ty::Index`].
    Step {
        /// The value of the first time.
        first: T,
        /// What each further time adds.
        by: T,
        /// How many times there are.
        count: i64,
    },
}

/// What memory a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// An execution argument; sparse memories have several handles.
    Arg {
        /// The argument.
        arg: i32,
        /// Which of its handles.
        handle: u32,
    },
    /// Scratchpad memory of this many elements, private to one execution.
    Scratch {
        /// How many.
        elements: usize,
        /// The argument that holds where in the scratchpad it starts, in elements; set when the scratchpad is laid out.
        base: ParamId,
    },
    /// Numbers that are known when the primitive is created, by their position in [`Program::tables`].
    Table(u32),
}

/// A tensor: typed memory. Its layout is in the offsets of loads and stores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// A name for people.
    pub name: &'static str,
    /// How elements are stored.
    pub data_type: DataType,
    /// Which memory.
    pub binding: Binding,
    /// How many elements the memory holds at least, padding included, where that is known. A schedule may read, and throw
    /// away, what it does not need as long as it stays inside.
    pub elements: Option<i64>,
    /// Whether what is loaded from it may be rounded to bf16: a math mode allows it.
    pub may_be_bf16: bool,
}

/// One output of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Store {
    /// Where to.
    pub tensor: TensorId,
    /// Physical element offset; different points of the domain have different offsets.
    pub offset: E,
    /// What: rounded to nearest even and saturated to the tensor's type.
    pub value: E,
}

/// For each point of `axes`, stores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// A name for people, and the kernel's.
    pub name: &'static str,
    /// The domain, outermost axis first.
    pub axes: Vec<AxisId>,
    /// Where this does not hold, zeros are stored instead of the values, which are not evaluated: the padding of a
    /// blocked output.
    pub bounds: Option<E>,
    /// The outputs.
    pub stores: Vec<Store>,
    /// The repeat it belongs to. Its stages run one after another, and then all of them again.
    pub repeat: Option<RepeatId>,
}

/// A tensor program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    nodes: Vec<Node>,
    types: Vec<Ty>,
    /// The axes each node depends on.
    free: Vec<Arc<BTreeSet<AxisId>>>,
    interned: HashMap<Node, E>,
    /// All axes.
    pub axes: Vec<Axis>,
    /// All tensors.
    pub tensors: Vec<Tensor>,
    /// Values of the integer arguments.
    pub params: Vec<Source<i64>>,
    /// Values of the floating-point arguments.
    pub scalars: Vec<Source<f32>>,
    /// The f32 numbers of tensors that are bound to a table.
    pub tables: Vec<Vec<f32>>,
    /// How many times the stages of each repeat run.
    pub repeats: Vec<i64>,
    /// What to do, in order.
    pub stages: Vec<Stage>,
}

impl Program {
    /// An empty program.
    pub fn new() -> Program {
        Program::default()
    }

    /// The node behind a handle.
    pub fn node(&self, e: E) -> &Node {
        &self.nodes[e.0 as usize]
    }

    /// The type of a node's value.
    pub fn ty(&self, e: E) -> Ty {
        self.types[e.0 as usize]
    }

    /// The axis behind a handle.
    pub fn axis(&self, axis: AxisId) -> &Axis {
        &self.axes[axis.index()]
    }

    /// The tensor behind a handle.
    pub fn tensor(&self, tensor: TensorId) -> &Tensor {
        &self.tensors[tensor.index()]
    }
}
