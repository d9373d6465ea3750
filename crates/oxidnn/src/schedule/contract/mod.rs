//! Sums of products of two factors: matrix products, and everything that is one in disguise.
//!
//! GPU-type devices have forms of their own, see [`grid`]. On CPU-type devices one work-item computes tiles of rows and columns in registers: columns are the lanes
//! of explicit vectors, taken from the factor that is contiguous along them; the other factor is broadcast, one row at a
//! time. The rest of the expression around the sum is the tile's epilogue, so bias, scales and post-ops cost a pass over
//! registers. [`pack`](super::pack) brings factors that suit this badly into shape first.
//!
//! Here is what a contraction is; [`tile`] picks the sizes, [`presence`] deals with padding, [`dots`], [`pairs`], [`amx`] and [`lines`]
//! with short types, [`streams`] with few rows, [`taps`] with few sums of long lanes, [`windows`] with many of short ones,
//! [`spread`] with columns that fill vectors only together with those of other groups, [`along`] with few columns;
//! [`loops`], [`kernel`] and [`epilogue`] become the text.

mod along;
pub(super) mod amx;
mod bundles;
mod columns;
mod dots;
mod epilogue;
mod frame;
mod grid;
mod groups;
mod kernel;
mod lines;
mod loops;
mod pairs;
mod positions;
mod presence;
mod rows;
mod spread;
mod squares;
mod streams;
mod taps;
mod tile;
mod windows;

use super::{Scheduled, is_arg, read};
use crate::Result;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};

use dots::Tail;

pub(super) use along::Along;
pub(super) use amx::Amx;
pub(super) use dots::Dot;
pub(super) use grid::{is_shared_out, steps_by_one};
pub(super) use presence::conditions;
pub(super) use spread::Spread;
pub(super) use taps::Taps;
pub(super) use tile::Tile;

/// Steps of a reduction from which on it pays to leave out rows that do not count there.
const WORTH_STEPS: i64 = 16;

/// Bytes that memory takes or brings at once.
const LINE: usize = 64;

/// Bytes from one line of memory to another that has the same place in the innermost cache.
pub(super) const SAME_PLACE: i64 = 1 << 12;

/// Steps of a reduction that take much longer than storing the sum.
const LONG: i64 = 512;
/// Rows that make up for the copy of a column, and where these are multiplied in groups, which they are not without.
const REUSED: i64 = 128;
const REUSED_IN_GROUPS: i64 = 8;
/// Vectors of a tile's columns, at most.
const MOST_VECTORS: i64 = 8;

/// A stage seen as a contraction.
#[derive(Clone, Debug)]
pub(super) struct Contraction {
    /// The sum.
    pub sum: E,
    /// What it runs over, the innermost loop last.
    pub reduced: Vec<AxisId>,
    /// The factor whose lanes are columns, and the one that is broadcast, or that has lanes of its own where it also
    /// varies along the columns.
    pub vector: E,
    pub broadcast: E,
    /// Further sums of products with the same broadcast factor, and their vector factors: the gates of a cell.
    pub more: Vec<(E, E)>,
    /// The axis of columns.
    pub columns: AxisId,
    /// The axes that only the broadcast factor depends on, outermost first: candidates for rows.
    pub row_axes: Vec<AxisId>,
    /// How many of them, from the first on, no tile has more than one point of.
    pub apart: usize,
    /// The axes that both factors, or only the vector factor, depend on.
    pub batch: Vec<AxisId>,
    /// Components of a vector.
    pub lanes: i64,
    /// Whether the layout of the vector factor is still open: it will lie in panels.
    pub open: bool,
    /// How groups of neighbours along the innermost loop are multiplied, where that is possible.
    pub dot: Option<Dot>,
    /// Whether whole tiles of them are.
    pub amx: Option<Amx>,
}

impl Contraction {
    /// Sees a stage as a contraction on this device, if it is one.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Contraction> {
        Contraction::with_open(program, stage, profile, &[])
    }

    /// The same where the layouts of `open` arguments will be what it wants.
    pub fn with_open(program: &Program, stage: &Stage, profile: &DeviceProfile, open: &[i32]) -> Option<Contraction> {
        if profile.device_type != DeviceType::Cpu || profile.vector_bytes < 16 {
            return None;
        }
        let (sums, reduced) = products(program, stage)?;
        if has_own_form(program, stage, profile) {
            return None;
        }
        let Product { sum, factors: [a, b] } = sums[0];
        // A number for a whole row comes before the row's elements.
        if stage.axes.iter().any(|&axis| !program.depends_on(sum, axis) && program.extent(axis) != Some(1)) {
            return None;
        }
        let lanes = (profile.vector_bytes / if program.ty(sum) == Ty::F64 { 8 } else { 4 }).min(16) as i64;
        let least = if Dot::serves_few(program, stage, &sums[0], profile) { 1 } else { lanes };
        let in_groups = [(a, b), (b, a)].into_iter().any(|(rows, columns)| {
            Dot::of_factors(program, sum, rows, columns).is_some_and(|dot| dot.is_there(profile))
        });
        let reused = if in_groups { REUSED_IN_GROUPS } else { REUSED };
        let is_open = |factor: E| {
            read(program, factor).iter().any(|&tensor| open.iter().any(|&arg| is_arg(program, tensor, arg)))
        };
        let ready = [a, b].map(|factor| is_open(factor) || in_panels(program, factor, &reduced, lanes));
        let (columns, vector, broadcast) =
            choose_columns(program, stage, &reduced, [a, b], ready, lanes, [least, reused])?;
        let (free_vector, free_broadcast) = (program.free_axes(vector), program.free_axes(broadcast));
        let is_row = |axis: &AxisId| free_broadcast.contains(axis) && !free_vector.contains(axis);
        let (row_axes, batch): (Vec<AxisId>, Vec<AxisId>) =
            stage.axes.iter().copied().filter(|&axis| axis != columns).partition(is_row);
        // Where no element is used twice there is nothing for a tile to gain.
        if row_axes.is_empty() && free_broadcast.contains(&columns) {
            return None;
        }
        let (sum, vector, more) = if sums.len() == 1 {
            (sum, vector, Vec::new())
        } else {
            let alike = |&Product { sum, factors: [a, b] }: &Product| {
                let other = if a == broadcast { b } else { a };
                let shared = a == broadcast || b == broadcast;
                let plain = presence::conditions(program, other).is_empty();
                (shared && plain && free_vector == program.free_axes(other)).then_some((sum, other))
            };
            let mut all: Vec<(E, E)> = sums.iter().map(alike).collect::<Option<_>>()?;
            // Several sums only come in whole vectors.
            let whole = program.extent(columns)? % lanes == 0;
            let several = batch.iter().any(|&axis| program.extent(axis) != Some(1));
            if !whole || several || free_broadcast.contains(&columns) {
                return None;
            }
            all.sort_by_key(|&(_, vector)| start(program, vector));
            let (sum, vector) = all.remove(0);
            (sum, vector, all)
        };
        let mut contraction = Contraction {
            sum,
            reduced,
            vector,
            broadcast,
            more,
            columns,
            row_axes,
            apart: 0,
            batch,
            lanes,
            open: is_open(vector),
            dot: None,
            amx: None,
        };
        contraction.keep_apart(program);
        contraction.order_reduction(program);
        contraction.dot = Dot::of(program, &contraction);
        contraction.amx = Amx::of(program, &contraction, profile);
        if contraction.amx.is_none() {
            // Pairs are made wider by whole groups.
            let whole = |dot: &Dot| *dot != Dot::Pairs || Tail::of(program, &contraction, *dot).is_none();
            contraction.dot =
                contraction.dot.and_then(|dot| dot.of_few_lines(program, &contraction, profile)).filter(whole);
        }
        // A matrix that lies along what is summed would have to be brought into groups.
        (contraction.dot.is_some() || !contraction.reduces_rows(program)).then_some(contraction)
    }

    /// Whether a matrix that is used once lies along what is summed: each sum is a row of it, reduced.
    fn reduces_rows(&self, program: &Program) -> bool {
        let along = |factor: E| self.reduced.iter().any(|&axis| is_row(program, factor, axis, self.lanes));
        self.row_axes.is_empty() && !contiguous(program, self.vector, self.columns, self.lanes) && along(self.vector)
    }

    /// Keeps rows that do not all count at the same steps out of one tile, where else next to no step would be the same
    /// for all: a gradient by weights sums over all positions of an image, and each point of a window is padded at others.
    fn keep_apart(&mut self, program: &Program) {
        let conditions = presence::conditions(program, self.broadcast);
        let decides = |axis: &AxisId| conditions.iter().any(|&condition| program.depends_on(condition, *axis));
        let steps: i64 =
            self.reduced.iter().filter(|axis| !decides(axis)).filter_map(|&axis| program.extent(axis)).product();
        let (apart, together): (Vec<AxisId>, Vec<AxisId>) = self.row_axes.iter().partition(|axis| decides(axis));
        if steps < WORTH_STEPS && together.iter().any(|&axis| contiguous(program, self.broadcast, axis, self.lanes)) {
            self.apart = apart.len();
            self.row_axes = [apart, together].concat();
        }
    }

    /// Puts axes that decide which rows of a tile count in front, so that this is known before the innermost loop, and the
    /// axis along which rows are contiguous last.
    fn order_reduction(&mut self, program: &Program) {
        let rows = &self.row_axes[self.apart..];
        let deciding: Vec<E> = presence::conditions(program, self.broadcast)
            .into_iter()
            .filter(|&condition| rows.iter().any(|&row| program.depends_on(condition, row)))
            .collect();
        let decides = |axis: &AxisId| deciding.iter().any(|&condition| program.depends_on(condition, *axis));
        let walks =
            |axis: AxisId| contiguous(program, self.broadcast, axis, 2) && program.depends_on(self.broadcast, axis);
        self.reduced.sort_by_key(|&axis| if decides(&axis) { 0 } else { 1 + u8::from(walks(axis)) });
    }

    /// How many sums there are for each row and column.
    pub fn sums(&self) -> i64 {
        1 + self.more.len() as i64
    }

    /// The vector factors of all sums.
    pub fn vectors(&self) -> impl Iterator<Item = E> + '_ {
        [self.vector].into_iter().chain(self.more.iter().map(|(_, vector)| *vector))
    }

    /// How many columns a panel has.
    pub fn width(&self, tile: &Tile) -> i64 {
        tile.vectors / self.sums() * self.lanes
    }

    /// Whether the vector factor is multiplied in groups of another type than it has.
    pub fn converts(&self, program: &Program) -> bool {
        let is_bf16 = |tensor: TensorId| program.tensor(tensor).data_type == DataType::Bf16;
        let is_pair = matches!(*program.node(self.vector), Node::Load { tensor, .. } if is_bf16(tensor));
        self.dot == Some(Dot::Bf16) && !is_pair
    }

    /// Whether the broadcast factor varies along the columns too: each lane has a sum of its own factors.
    pub fn is_lanewise(&self, program: &Program) -> bool {
        program.depends_on(self.broadcast, self.columns)
    }

    /// Whether the vector factors already lie in panels of a width: each step of the reduction goes on to the next row of a
    /// panel, in which the columns of all sums follow each other.
    pub fn is_packed(&self, program: &Program, width: i64) -> bool {
        let Some(&innermost) = self.reduced.last() else { return true };
        if let Some(dot) = self.dot {
            return dots::is_grouped(program, self, dot, width);
        }
        let mut packed = true;
        program.visit(self.vectors(), &mut |e| {
            if let Node::Load { offset, .. } = *program.node(e)
                && program.depends_on(offset, innermost)
            {
                let at = |step: i64| program.evaluate(offset, &|axis| Some(if axis == innermost { step } else { 0 }));
                packed &= at(1).zip(at(0)).is_some_and(|(one, zero)| one - zero == width * self.sums());
            }
        });
        packed
    }

    /// The contraction without tiles of groups, should its columns not lie in panels for them, unless nothing is left of it then.
    fn with_what_lies_ready(mut self, program: &Program, profile: &DeviceProfile) -> Option<Contraction> {
        if self.amx.is_some()
            && !self.tile(program, profile).is_some_and(|tile| self.is_packed(program, self.width(&tile)))
        {
            self.amx = None;
            self.dot = self.dot.and_then(|dot| dot.of_few_lines(program, &self, profile));
        }
        (!self.reduces_rows(program)).then_some(self)
    }

    /// How many points there are along all candidates for rows.
    pub fn row_count(&self, program: &Program) -> Option<i64> {
        program.points(&self.row_axes)
    }
}

/// Where in memory a factor starts that is a load.
fn start(program: &Program, factor: E) -> Option<i64> {
    let Node::Load { offset, .. } = *program.node(factor) else { return None };
    program.evaluate(offset, &|_| Some(0))
}

/// A sum of products, and the two factors.
struct Product {
    sum: E,
    factors: [E; 2],
}

/// The sums of a stage that is made of sums of products over the same axes, and the axes.
fn products(program: &Program, stage: &Stage) -> Option<(Vec<Product>, Vec<AxisId>)> {
    let mut sums = Vec::new();
    let mut over: Option<Vec<AxisId>> = None;
    for sum in program.reductions(program.roots(stage)) {
        let Node::Reduce { op: ReduceOp::Sum, axes, body } = program.node(sum).clone() else { return None };
        let Node::Binary(BinaryOp::Mul, a, b) = *program.node(body) else { return None };
        if *over.get_or_insert_with(|| axes.clone()) != axes {
            return None;
        }
        sums.push(Product { sum, factors: [a, b] });
    }
    let reduced = over?;
    let packed = stage.stores.iter().any(|store| program.tensor(store.tensor).data_type.is_sub_byte());
    let fixed = reduced.iter().all(|&axis| program.extent(axis).is_some());
    (stage.bounds.is_none() && !packed && fixed).then_some((sums, reduced))
}

/// The axis of columns, of which there are so many at least, the factor that is contiguous along it, and the other one. So many rows make up
/// for a copy of the columns, unless these lie ready.
fn choose_columns(
    program: &Program,
    stage: &Stage,
    reduced: &[AxisId],
    [a, b]: [E; 2],
    ready: [bool; 2],
    lanes: i64,
    [least, reused]: [i64; 2],
) -> Option<(AxisId, E, E)> {
    let (free_a, free_b) = (program.free_axes(a), program.free_axes(b));
    let wide = |axis: &AxisId| program.extent(*axis).is_some_and(|extent| extent >= least);
    let stored = |axis: AxisId| program.constant_step(stage.stores[0].offset, axis) == Some(1);
    let steps = program.points(reduced)?;
    // An axis of one factor only; the closer that factor and the output come to being contiguous along it, the better. Over
    // a long reduction it matters more that columns, which may have to be copied, are used by many rows.
    let own = stage
        .axes
        .iter()
        .copied()
        .filter(|axis| wide(axis) && free_a.contains(axis) != free_b.contains(axis))
        .max_by_key(|&axis| {
            let (factor, ready, own, other) =
                if free_a.contains(&axis) { (a, ready[0], &free_a, &free_b) } else { (b, ready[1], &free_b, &free_a) };
            let rows = stage.axes.iter().filter(|axis| other.contains(axis) && !own.contains(axis));
            let reused = steps < LONG || program.points(rows).is_some_and(|rows| rows >= reused) || ready;
            // Lanes that do not all count are loaded one by one.
            let guarded = presence::conditions(program, factor).iter().any(|&guard| program.depends_on(guard, axis));
            let flat =
                (contiguous(program, factor, axis, lanes) && !guarded) || in_groups(program, factor, axis, reduced);
            (!is_unsigned(program, factor), flat, reused, stored(axis), program.extent(axis))
        });
    // Or an axis along which both are: a depthwise convolution.
    let shared = stage.axes.iter().copied().find(|&axis| {
        let in_both = free_a.contains(&axis) && free_b.contains(&axis);
        in_both && wide(&axis) && stored(axis) && [a, b].iter().all(|&factor| contiguous(program, factor, axis, lanes))
    });
    let axis = match (own, shared) {
        (Some(own), Some(shared)) => {
            let factor = if free_a.contains(&own) { a } else { b };
            if contiguous(program, factor, own, lanes) { own } else { shared }
        }
        (own, shared) => own.or(shared)?,
    };
    // Of two factors with lanes, the one that depends on less serves all rows.
    let a_is_vector = match (free_a.contains(&axis), free_b.contains(&axis)) {
        (true, true) => free_a.len() <= free_b.len(),
        (in_a, _) => in_a,
    };
    Some(if a_is_vector { (axis, a, b) } else { (axis, b, a) })
}

/// Whether a factor lies in panels already: each step of the reduction goes on by a few whole vectors.
fn in_panels(program: &Program, factor: E, reduced: &[AxisId], lanes: i64) -> bool {
    let Node::Load { offset, .. } = *program.node(factor) else { return false };
    let step = |&axis: &AxisId| program.step(offset, axis);
    reduced.last().and_then(step).is_some_and(|step| step % lanes == 0 && (1..=MOST_VECTORS).contains(&(step / lanes)))
}

/// Whether a factor is of unsigned bytes, which dot products take as rows alone.
fn is_unsigned(program: &Program, factor: E) -> bool {
    matches!(*program.node(factor), Node::Load { tensor, .. } if program.tensor(tensor).data_type == DataType::U8)
}

/// Whether a factor lies in groups of neighbours along the reduction, side by side along an axis, as dot products read it.
fn in_groups(program: &Program, factor: E, axis: AxisId, reduced: &[AxisId]) -> bool {
    let Node::Load { tensor, offset, .. } = *program.node(factor) else { return false };
    let most = 32 / i64::from(program.tensor(tensor).data_type.bits());
    let neighbours = reduced.iter().any(|&axis| program.step(offset, axis) == Some(1));
    neighbours && program.step(offset, axis).is_some_and(|group| group > 1 && (group == 2 || group == most))
}

/// Whether every load of a factor that moves along an axis moves by one element, for as many steps as a vector has lanes.
pub(super) fn contiguous(program: &Program, factor: E, axis: AxisId, lanes: i64) -> bool {
    let mut all = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, offset, .. } = *program.node(e)
            && program.depends_on(offset, axis)
        {
            let at = |step: i64| program.evaluate(offset, &|other| Some(if other == axis { step } else { 0 }));
            let steps = [1, lanes - 1].into_iter().all(|step| at(step).zip(at(0)).is_some_and(|(a, b)| a - b == step));
            all &= steps && (!program.tensor(tensor).data_type.is_sub_byte() || program.is_even(offset, axis));
        }
    });
    all
}

/// The same but for loads that stay where they are for as many steps: numbers of groups along the axis.
fn is_row(program: &Program, factor: E, axis: AxisId, lanes: i64) -> bool {
    let mut moves = false;
    let mut loads = Vec::new();
    program.visit([factor], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e)
            && program.depends_on(offset, axis)
        {
            let at = |step: i64| program.evaluate(offset, &|other| Some(if other == axis { step } else { 0 }));
            let stays = at(lanes - 1).zip(at(0)).is_some_and(|(last, first)| last == first);
            moves |= !stays;
            loads.push((e, stays));
        }
    });
    moves && loads.into_iter().all(|(e, stays)| stays || contiguous(program, e, axis, lanes))
}

/// Whether the columns of different panels of vectors are neighbours in the broadcast factor.
fn side_by_side(program: &Program, c: &Contraction) -> bool {
    let Node::Load { offset, .. } = *program.node(c.broadcast) else { return false };
    let at = |column: i64| program.evaluate(offset, &|axis| Some(if axis == c.columns { column } else { 0 }));
    let columns = program.extent(c.columns).unwrap_or(0);
    columns > c.lanes && at(c.lanes).zip(at(0)).is_some_and(|(next, this)| next - this == c.lanes)
}

/// A factor in whose offsets the distance from one vector to the next is a number, not a parameter: what lies in blocks, of a line
/// of memory at the most, is found without arithmetic.
fn blocks_in_text(program: &mut Program, factor: E, lanes: i64) -> E {
    let is_block = |size: i64| size % lanes == 0 && (lanes..=LINE as i64 / 4).contains(&size);
    let mut blocks = Vec::new();
    program.visit([factor], &mut |e| {
        if let (Node::Param(_), Some(size)) = (program.node(e), program.value(e))
            && is_block(size)
        {
            blocks.push((e, size));
        }
    });
    blocks.into_iter().fold(factor, |factor, (param, size)| {
        let block = program.index(size);
        program.replace(factor, param, block)
    })
}

/// Whether a stage is a contraction on a CPU-type device.
pub(super) fn takes(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    Contraction::of(program, stage, profile).is_some() || has_own_form(program, stage, profile)
}

/// Whether a stage is a contraction whose form shares nothing with others.
pub(super) fn has_own_form(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    Spread::of(program, stage, profile).is_some() || Along::of(program, stage, profile).is_some()
}

/// Cuts axes where that gives a contraction a form of its own.
pub(super) fn cut(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some(cut) = spread::cut(program, &stage, profile) {
            program.stages[index] = cut;
        }
    }
}

/// The factors of a stage that is one sum of products.
pub(super) fn factors(program: &Program, stage: &Stage) -> Option<[E; 2]> {
    let (sums, _) = products(program, stage)?;
    let [Product { factors, .. }] = sums[..] else { return None };
    Some(factors)
}

/// Takes a stage that is a contraction, on a device with vectors or local memory.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    if profile.device_type != DeviceType::Cpu {
        return grid::schedule(program, stage, profile).map(Ok);
    }
    if let Some(spread) = Spread::of(program, stage, profile).filter(|spread| spread.flat) {
        return Some(Ok(spread::Kernel::new(program, stage, &spread, profile).emit()));
    }
    if let Some(along) = Along::of(program, stage, profile).filter(|along| along.flat) {
        return Some(Ok(along::Kernel::new(program, stage, &along, profile).emit()));
    }
    let contraction = Contraction::of(program, stage, profile)?.with_what_lies_ready(program, profile)?;
    if let Some(taps) = Taps::of(program, &contraction, profile) {
        return Some(Ok(taps::Kernel::new(program, stage, &contraction, &taps).emit()));
    }
    if let Some(windows) = windows::Windows::of(program, &contraction, profile) {
        return Some(Ok(windows::Kernel::new(program, stage, &contraction, &windows, profile).emit()));
    }
    let tile = contraction.tile(program, profile)?;
    Some(Ok(kernel::Kernel::new(program, stage, contraction, tile, profile).emit()))
}
