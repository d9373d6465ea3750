//! Loops of explicit vectors, for CPU-type devices: what is bound by memory, not by arithmetic.
//!
//! One work-item computes some thousand points. Its loops are the axes of the stage, outermost those that reductions depend
//! on, so that a row's statistics are computed once and its elements follow. Lanes run over one axis: of the domain, the
//! one along which most accesses are contiguous; or, inside of a reduction that is one number for a whole row, over the
//! row. Outputs larger than the caches are written past them.
//!
//! [`fuse`](super::fuse) brings stages into this form.

mod ahead;
mod block;
mod cells;
mod choose;
mod emit;
mod groups;
mod inside;
mod loops;
mod nest;
mod next;
mod overlap;
mod pairs;
mod pick;
mod ring;
mod row;
#[cfg(test)]
mod sample;
mod short;
mod steady;
mod strip;
mod tile;
mod turns;
mod weights;
mod window;
mod words;

pub(super) use window::windows_along;

use std::collections::BTreeSet;

use super::{ONE_ITEM, Scheduled, attend, needs_wide_indices};
use crate::Result;
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};

/// Points that are worth a work-item: some microseconds, against which starting one is nothing.
const WORTH: i64 = 32768;
/// The same where rows are reduced, so that each row but the first is on its way from memory before its turn comes.
const WORTH_IN_ROWS: i64 = 4 * WORTH;
/// Vectors that a reduction along other axes than that of the lanes accumulates side by side, in registers.
const STRIP: i64 = 16;
/// The same where each step is far from the one before, and long runs of memory are worth a buffer.
const WIDE_STRIP: i64 = 64;
/// Vectors that are computed in one turn of a loop without reductions.
const UNROLL: i64 = 4;
/// As many stores as Winograd's transforms have, whose text had better be written once for vectors: building it, and loading what was built, takes
/// the longer the more of it there is.
const MANY_STORES: usize = 8;

/// A stage with its loops in order.
#[derive(Debug)]
struct Sweep {
    program: Program,
    stage: Stage,
    /// The axis of the domain that lanes run over, and how many there are.
    lanes: Option<(AxisId, i64)>,
    /// The loops, outermost first. Those before `fixed` are what reductions depend on.
    order: Vec<AxisId>,
    fixed: usize,
    /// From here on loops are inside of the work-item; this one in chunks.
    looped: usize,
    chunk: E,
    chunks: E,
    /// Vectors accumulated side by side.
    strip: i64,
    /// Whether the last vector of a loop may begin before the one in front of it ends.
    overlaps: bool,
    /// Reductions over a row, by which of their axes lanes run over, and how many.
    rows: Vec<(E, AxisId, i64)>,
    /// A value computed by a reduction that is needed again.
    kept: Option<Kept>,
    /// The first of several numbers of a row, that of the next one.
    next: Option<next::Next>,
    /// By how much offsets of loads along rows grow from row to row.
    ahead: Vec<(E, E)>,
    /// By how much offsets of loads in reductions grow from step to step.
    steps: Vec<(E, E)>,
    /// One if outputs are written past the caches.
    streams: Option<E>,
    /// Whether more is read than stays in a cache.
    reads_far: bool,
    /// Loads of which each line is read once, where it pays to say so.
    once: BTreeSet<E>,
    /// Whether weights of elements were multiplied.
    weighs: bool,
    /// Rows of which windows are read.
    windows: Option<window::Row>,
    /// How many elements the tensors have of which vectors may be partly outside of what is wanted.
    room: Vec<(TensorId, E)>,
    global: usize,
}

/// A value that a reduction computes at each element of a row, and that is needed again after it.
#[derive(Debug)]
struct Kept {
    value: E,
    reduction: E,
    axis: AxisId,
    /// Elements of the buffer it is kept in.
    size: i64,
}

/// Whether stages can be scheduled here.
pub(super) fn takes(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    profile.device_type == DeviceType::Cpu
        && profile.vector_bytes >= 16
        && !stage.stores.iter().any(|store| program.tensor(store.tensor).data_type.is_sub_byte())
        && stage.axes.iter().all(|&axis| program.extent(axis).is_some_and(|extent| extent > 0))
        && !attend::takes(program, stage, profile)
}

/// Takes a stage on a device with vectors.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    if !takes(program, stage, profile) {
        return None;
    }
    if let Some(groups) = groups::Groups::of(program, stage, profile) {
        return Some(Ok(groups.schedule()));
    }
    let copied = || words::copied(program, stage).and_then(|(words, stage)| tile::Tiles::of(&words, &stage, profile));
    let computed = || tile::Tiles::of_words(program, stage, profile);
    if let Some(tiles) = copied().or_else(computed).or_else(|| tile::Tiles::of(program, stage, profile)) {
        return Some(Ok(tiles.schedule()));
    }
    Some(Ok(choose::choose(program, stage, profile)?.schedule()))
}

/// Whether an operation takes devices many times as long as an addition.
fn is_transcendental(node: &Node) -> bool {
    use UnaryOp::{Exp, Expm1, Log, Log1p, Phi, Tanh};
    matches!(node, Node::Unary(Exp | Expm1 | Log | Log1p | Phi | Tanh, _) | Node::Binary(BinaryOp::Pow, ..))
}

/// How many times larger than the cache that a device reports those behind it may be.
const SHARED_CACHES: i64 = 16;

impl Sweep {
    /// A parameter that is one where a stage's outputs are too large to stay in a cache; none where the device cannot write
    /// past its caches.
    fn streams(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<E> {
        let written = |store: &Store| -> i64 {
            let moves = stage.axes.iter().filter(|&&axis| program.depends_on(store.offset, axis));
            let elements: i64 = moves.map(|&axis| program.extent(axis).unwrap_or(1)).product();
            elements * program.tensor(store.tensor).data_type.bits() as i64 / 8
        };
        let bytes: i64 = stage.stores.iter().map(written).sum();
        // What another stage reads next had better stay in whatever cache is shared by all cores.
        let scratch = |store: &Store| matches!(program.tensor(store.tensor).binding, Binding::Scratch { .. });
        let caches =
            if stage.stores.iter().max_by_key(|store| written(store)).is_some_and(scratch) { SHARED_CACHES } else { 1 };
        profile.clang_builtins.then(|| program.param(i64::from(bytes >= caches * profile.cache_bytes as i64)))
    }

    /// Whether a stage reads more than stays in a cache, or nobody knows how much.
    fn reads_far(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
        let read = program.stage_tensors(stage).into_iter().filter(|(_, written)| !written);
        let bytes = read.map(|(tensor, _)| {
            let Tensor { elements, data_type, binding, .. } = program.tensor(tensor);
            let elements = match *binding {
                Binding::Scratch { elements, .. } => elements as i64,
                _ => elements.unwrap_or(i64::MAX),
            };
            elements.saturating_mul(data_type.bits() as i64) / 8
        });
        bytes.fold(0, i64::saturating_add) >= profile.cache_bytes as i64
    }

    /// Whether products and sums may be rounded as one: where rows are reduced or elements weighed, sums are in no exact order anyway, and a
    /// factor that is a root is none that a caller could know exactly.
    fn contracts(&self) -> bool {
        let mut found = self.weighs;
        self.program.visit(self.program.roots(&self.stage), &mut |e| {
            found |= matches!(self.program.node(e), Node::Reduce { .. } | Node::Unary(UnaryOp::Sqrt, _));
        });
        found
    }

    fn schedule(&self) -> Scheduled {
        let Sweep { program, stage, .. } = self;
        let mut all = stage.clone();
        all.stores.extend(self.windows.iter().flat_map(window::Row::stores));
        let mut emitter = Emitter::new(program, needs_wide_indices(program, &all));
        emitter.set_coarse(program.coarse_functions(&all));
        self.body(&mut emitter);
        let mut tensors = program.stage_tensors(&all);
        tensors.retain(|(tensor, _)| self.windows.as_ref().is_none_or(|row| !row.holds(*tensor)));
        let source = emitter.finish(stage.name, ONE_ITEM, &tensors);
        let range = NdRange { global: [self.global, 1, 1], local: Some([1; 3]) };
        Scheduled::new(program, "sweep", source, range)
    }
}
