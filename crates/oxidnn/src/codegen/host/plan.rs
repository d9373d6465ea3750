//! A stage as lists of steps: what is computed once a launch, once a row, once a block of lanes, in each turn of a loop.
//!
//! A node belongs to the deepest loop whose axis it depends on, and is computed there whenever that axis moves, not
//! deeper. Nodes that depend on the lane axis have a value for each lane, all others one value.

use super::registers::{Place, Registers};
use crate::desc::DataType;
use crate::program::{AxisId, BinaryOp, ReduceOp, Ty, UnaryOp};

/// Which loop runs over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneChoice {
    /// An axis of the domain.
    Domain(AxisId),
    /// The innermost axis of each reduction that has no other inside.
    Reductions,
}

/// One instruction. Operands and results are slots of [`Registers`].
#[derive(Clone, Debug)]
pub enum Step {
    /// The positions of the lanes.
    Positions { out: usize },
    /// A function of a value of type `ty`.
    Unary { op: UnaryOp, ty: Ty, x: Place, out: Place },
    /// A function of two values of type `ty`.
    Binary { op: BinaryOp, ty: Ty, a: Place, b: Place, out: Place },
    /// A choice.
    Select { ty: Ty, condition: Place, a: Place, b: Place, out: Place },
    /// A conversion.
    Convert { from: Ty, to: Ty, x: Place, out: Place },
    /// A load.
    Load(Box<Load>),
    /// Random bits.
    Philox { counter: [Place; 4], key: [Place; 2], lane: Place, out: Place },
    /// Starts an accumulator.
    Start { op: ReduceOp, ty: Ty, acc: Place },
    /// Combines a value with an accumulator.
    Accumulate { op: ReduceOp, ty: Ty, acc: Place, x: Place },
    /// Adds a product to an accumulator.
    MultiplyAdd { ty: Ty, acc: Place, a: Place, b: Place },
    /// Combines the lanes of an accumulator.
    Fold { op: ReduceOp, ty: Ty, acc: usize, out: usize },
    /// Runs steps for each position of an axis, or, where there is no slot for that, for each block of lanes.
    Loop { position: Option<usize>, extent: usize, body: Vec<Step> },
}

/// Where the elements of a load or store are.
#[derive(Clone, Copy, Debug)]
pub enum Offset {
    /// At one offset.
    One(usize),
    /// At `base + step * position` for the position of each lane.
    Linear { base: usize, step: usize },
    /// Anywhere.
    Lanes(usize),
}

/// The positions `x` with `coefficient * x < limit`.
#[derive(Clone, Copy, Debug)]
pub struct HalfLine {
    pub coefficient: usize,
    pub limit: usize,
}

/// A conjunction of conditions, sorted by how cheaply they can be tested.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// The same for all lanes.
    pub uniform: Vec<usize>,
    /// Cut off lanes at either end.
    pub half_lines: Vec<HalfLine>,
    /// Any.
    pub lanes: Option<usize>,
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// Which of the launch's memories.
    pub memory: usize,
    /// How elements are stored.
    pub data_type: DataType,
    /// What they become.
    pub ty: Ty,
    pub offset: Offset,
    /// Elements where it does not hold are zero.
    pub guard: Guard,
    /// It was moved out of a loop that may run zero times: elements outside of the memory are zero.
    pub speculative: bool,
    pub out: Place,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// Which of the launch's memories.
    pub memory: usize,
    /// How elements are stored.
    pub data_type: DataType,
    /// What they are.
    pub ty: Ty,
    pub offset: Offset,
    pub value: Place,
}

/// What is done each time a loop of the domain moves.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Computes where to store, and `bounds`.
    pub address: Vec<Step>,
    /// The part of the stage's bounds that can be told here.
    pub bounds: Guard,
    /// Computes what to store; only within bounds.
    pub value: Vec<Step>,
}

/// An axis of the domain that is walked one position after the other: slots of position and extent.
#[derive(Clone, Copy, Debug)]
pub struct DomainAxis {
    pub position: usize,
    pub extent: usize,
}

/// The axis of the domain that lanes run over: the slot of its extent, and what is done for each block.
#[derive(Clone, Debug)]
pub struct Across {
    pub extent: usize,
    pub level: Level,
}

/// A stage ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Constants are in it.
    pub registers: Registers,
    /// Slots of integer arguments, and which.
    pub params: Vec<(usize, usize)>,
    /// Slots of floating-point arguments, and which.
    pub scalars: Vec<(usize, usize)>,
    /// Integer slots the parameter block has.
    pub block_integers: usize,
    /// Computes extents of the domain.
    pub extents: Vec<Step>,
    /// Done once.
    pub launch: Level,
    /// Axes that are walked, outermost first, and what is done when each moves.
    pub walked: Vec<(DomainAxis, Level)>,
    /// Without it, each point of the walked axes is computed by itself.
    pub lanes: Option<Across>,
    pub stores: Vec<Store>,
    /// Estimated nanoseconds of a launch on one thread.
    pub cost: f64,
}
