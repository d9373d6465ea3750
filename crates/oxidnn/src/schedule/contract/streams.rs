//! One row by a matrix, or a few by one that no cache holds: each element of the matrix is read once, so memory sets the pace.
//!
//! One place that memory is read from keeps it less busy than several do. So the reduction is walked in several parts at
//! once. A tile has all rows, which lie side by side at each step ([`pack`](crate::schedule::pack) sees to that): rows that are
//! apart by a power of two get in each other's way in the innermost cache.
//!
//! Rows whose sums do not fit the registers take turns, group by group: each walks a block of steps, which is in the innermost
//! cache until all have, and asks for its share of the next block meanwhile. So memory is busy all the time, and one place is enough.

use std::collections::HashMap;
use std::ops::Range;

use super::kernel::{self, Kernel};
use super::loops::{self, Ahead, Row};
use super::{Contraction, Tile, contiguous};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;
use crate::schedule::map::bind_linear;

/// How many parts are walked at once.
pub(super) const STREAMS: i64 = 4;
/// Vectors of a tile, at most: those of one row leave registers for sums of each part, those of several have enough to do.
const VECTORS: i64 = 4;
/// Rows, at most.
const MOST_ROWS: i64 = 16;
/// Registers for each row of a group, at least: for its sums, and for what all share.
const REGISTERS_A_ROW: i64 = 4;
/// Steps of a block that groups take turns at.
const BLOCK: i64 = 64;
/// How many steps before its use a vector is asked for then: long enough for memory, and still there with the block when its turn comes.
const BLOCK_AHEAD: i64 = 96;

/// How the reduction is walked.
pub(super) struct Streams {
    /// Rows whose sums are in registers at a time.
    group: i64,
    parts: Vec<Part>,
    /// How many steps each part has.
    steps: E,
    /// What groups that take turns ask for.
    next: Option<Next>,
    /// Whether all blocks that they take turns at have the same number of steps, which compilers make use of.
    whole_blocks: bool,
}

/// A part of the reduction.
struct Part {
    /// The factors, at a step of this part; the broadcast one for each row.
    vectors: Vec<E>,
    rows: Vec<E>,
    /// Where vectors will be read from some steps later.
    ahead: Vec<(TensorId, E)>,
}

/// A vector of a later step, by its number.
struct Next {
    tensor: TensorId,
    offset: E,
    number: AxisId,
}

/// How many of so many rows have their sums in registers at a time.
pub(super) fn group(rows: i64, profile: &DeviceProfile) -> i64 {
    ceil(rows, ceil(rows * REGISTERS_A_ROW, profile.vector_registers()))
}

impl Contraction {
    /// How many vectors a tile of all rows has, at most, where memory sets the pace for numbers that are multiplied as they are read.
    pub fn streams(&self, program: &Program, profile: &DeviceProfile) -> Option<i64> {
        let plain = |e: E| matches!(program.node(e), Node::Load { guard: None, ty: Ty::F32, .. });
        let [axis] = self.reduced[..] else { return None };
        let takes = program.ty(self.sum) == Ty::F32
            && self.dot.is_none()
            && !self.is_lanewise(program)
            && plain(self.vector)
            && plain(self.broadcast)
            && program.extent(axis)? % STREAMS == 0;
        match self.row_count(program)? {
            _ if !takes => None,
            1 => Some(VECTORS),
            rows => self.streams_by(program, profile, rows),
        }
    }

    /// The same for several rows.
    fn streams_by(&self, program: &Program, profile: &DeviceProfile, rows: i64) -> Option<i64> {
        let Node::Load { tensor, .. } = *program.node(self.vector) else { return None };
        let vectors = ((profile.vector_registers() - 1) / (group(rows, profile) + 1)).min(VECTORS);
        let takes = rows <= MOST_ROWS
            && self.row_axes.len() == 1
            && self.more.is_empty()
            && kernel::bytes(program, tensor) > profile.cache_bytes as i64
            && (self.open || self.ready_vectors(program, vectors).is_some());
        takes.then_some(vectors)
    }

    /// How many vectors a panel has that the vector factor lies in already, up to so many.
    pub fn ready_vectors(&self, program: &Program, most: i64) -> Option<i64> {
        (1..=most).find(|vectors| self.is_packed(program, vectors * self.lanes))
    }

    /// Whether there are several rows of this kind that do not lie side by side.
    pub fn wants_rows_together(&self, program: &Program, profile: &DeviceProfile) -> bool {
        let [rows] = self.row_axes[..] else { return false };
        let several = program.extent(rows).is_some_and(|rows| rows > 1);
        several && self.streams(program, profile).is_some() && !contiguous(program, self.broadcast, rows, 2)
    }
}

/// How the reduction of a tile is walked, if in this way.
pub(super) fn streams(
    program: &mut Program,
    c: &Contraction,
    tile: &Tile,
    vectors: &[E],
    rows: &[Row],
    profile: &DeviceProfile,
) -> Option<Streams> {
    if tile.vectors > c.streams(program, profile)? {
        return None;
    }
    let axis = c.reduced[0];
    let group = group(tile.rows, profile);
    let takes_turns = group < tile.rows;
    let count = if takes_turns { 1 } else { STREAMS };
    let extent = program.extent(axis)?;
    let (steps, whole_blocks) = (program.param(extent / count), extent % BLOCK == 0);
    let ahead = if tile.rows == 1 { Ahead::Gaps } else { Ahead::Steps };
    let mut next = None;
    let mut part = |part: i64| {
        let (at, number) = (program.at(axis), program.index(part));
        let start = program.mul(number, steps);
        let here = HashMap::from([(axis, program.add(start, at))]);
        let vectors: Vec<E> = vectors.iter().map(|&vector| program.substitute(vector, &here)).collect();
        let vectors = if tile.rows == 1 { vectors } else { step_in_text(program, vectors, axis) };
        if takes_turns && profile.clang_builtins {
            next = Next::of(program, vectors[0], axis, c.lanes);
        }
        let ahead = (profile.clang_builtins && !takes_turns)
            .then(|| loops::prefetches(program, &vectors, axis, 1, ahead))
            .flatten()
            .unwrap_or_default();
        let mut row = |row: &Row| {
            let mut here = here.clone();
            here.extend(tile.row_axes.iter().zip(&row.axes).map(|(&axis, &own)| (axis, program.at(own))));
            program.substitute(c.broadcast, &here)
        };
        Part { rows: rows.iter().map(&mut row).collect(), vectors, ahead }
    };
    let parts = (0..count).map(&mut part).collect();
    Some(Streams { group, parts, steps, next, whole_blocks })
}

impl Next {
    /// Vectors lie side by side from the `first` one on.
    fn of(program: &mut Program, first: E, axis: AxisId, lanes: i64) -> Option<Next> {
        let Node::Load { tensor, offset, .. } = *program.node(first) else { return None };
        let vectors = program.index(VECTORS);
        let number = program.add_axis("next", vectors);
        let (at, ahead) = (program.at(axis), program.index(BLOCK_AHEAD));
        let later = HashMap::from([(axis, program.add(at, ahead))]);
        let start = program.substitute(offset, &later);
        let (vector, lanes) = (program.at(number), program.index(lanes));
        let distance = program.mul(vector, lanes);
        Some(Next { tensor, offset: program.add(start, distance), number })
    }
}

/// Factors in whose offsets the distance from one step to the next is a number, not a parameter: it is the width of their panels, which
/// the text knows.
fn step_in_text(program: &mut Program, factors: Vec<E>, axis: AxisId) -> Vec<E> {
    let step_of = |program: &mut Program, factor: E| {
        let Node::Load { offset, .. } = *program.node(factor) else { return None };
        let (step, _) = program.linear(offset, axis)?;
        Some((step, program.value(step)?))
    };
    let mut in_text = |factor: E| match step_of(program, factor) {
        Some((step, value)) => {
            let value = program.index(value);
            program.replace(factor, step, value)
        }
        None => factor,
    };
    factors.into_iter().map(&mut in_text).collect()
}

impl Kernel {
    /// Whether sums of streams go to the array `tile`: those of one row, and those that take turns in registers.
    pub(super) fn streams_to_array(&self) -> bool {
        let takes_turns = |streams: &Streams| streams.group < self.tile.rows;
        self.streams.as_ref().is_some_and(|streams| self.tile.rows == 1 || takes_turns(streams))
    }

    /// Sums all parts up, to the array `tile` or to the names of their sums.
    pub(super) fn accumulate_streams(&self, emitter: &mut Emitter<'_>, streams: &Streams) {
        let Kernel { program, c, tile, .. } = self;
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        let steps = emitter.scalar(streams.steps);
        if streams.group < tile.rows {
            return self.take_turns(emitter, streams, &steps);
        }
        // The products of one row are too few to wait for each other.
        let single = tile.rows == 1;
        let sums = if single { STREAMS } else { tile.rows };
        self.declare(emitter, sums, |_, _| "0".into());
        self.walk(emitter, streams, 0..tile.rows, ["0", &steps]);
        if single {
            let sums: Vec<String> = (0..tile.vectors)
                .map(|v| (0..STREAMS).map(|part| sum(part, v)).collect::<Vec<_>>().join(" + "))
                .collect();
            emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", sums.len(), sums.join(", ")));
        }
    }

    /// Walks block by block, with the sums of one group after another in registers.
    fn take_turns(&self, emitter: &mut Emitter<'_>, streams: &Streams, steps: &str) {
        let Kernel { program, c, tile, .. } = self;
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), true));
        let all = tile.rows * tile.vectors;
        emitter.line(format!("{vector_type} tile[{all}];"));
        emitter.line(format!("for (int i = 0; i < {all}; ++i) tile[i] = 0;"));
        emitter.open(format!("for ({index} block = 0; block < {steps}; block += {BLOCK})"));
        match streams.whole_blocks {
            true => emitter.line(format!("const {index} end = block + {BLOCK};")),
            false => emitter.line(format!("const {index} end = min(block + {BLOCK}, {steps});")),
        }
        // Each group has a text of its own, in which places of its rows and sums are numbers.
        for first in (0..tile.rows).step_by(streams.group as usize) {
            let rows = streams.group.min(tile.rows - first);
            let place = |row: i64, vector: i64| format!("tile[{}]", (first + row) * tile.vectors + vector);
            emitter.open("");
            self.declare(emitter, rows, place);
            self.walk(emitter, streams, first..first + rows, ["block", "end"]);
            for row in 0..rows {
                (0..tile.vectors).for_each(|v| emitter.line(format!("{} = {};", place(row, v), sum(row, v))));
            }
            emitter.close();
        }
        emitter.close();
    }

    /// Gives sums their names and first values.
    fn declare(&self, emitter: &mut Emitter<'_>, sums: i64, value: impl Fn(i64, i64) -> String) {
        let vector_type = emitter.type_name(self.program.ty(self.c.sum), true);
        for of in 0..sums {
            let names: Vec<String> =
                (0..self.tile.vectors).map(|v| format!("{} = {}", sum(of, v), value(of, v))).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
    }

    /// Adds the products of some rows and all parts, from one step to another.
    fn walk(&self, emitter: &mut Emitter<'_>, streams: &Streams, rows: Range<i64>, [from, to]: [&str; 2]) {
        let Kernel { program, c, tile, .. } = self;
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), true));
        // There is one tile of rows. Their numbers in the text are distances from a pointer that they share.
        for row in rows.clone() {
            bind_linear(emitter, program, &self.rows[row as usize].axes, row.to_string());
        }
        emitter.open(format!("for ({index} k = {from}; k < {to}; ++k)"));
        emitter.bind(c.reduced[0], "k");
        if let Some(Next { tensor, offset, number }) = streams.next {
            // Each group asks for its share.
            let share = |rows: i64| rows * tile.vectors / tile.rows;
            for vector in share(rows.start)..share(rows.end) {
                emitter.bind(number, vector.to_string());
                emitter.prefetch(tensor, offset);
            }
        }
        for (number, part) in (0..).zip(&streams.parts) {
            part.ahead.iter().for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
            let columns: Vec<String> =
                part.vectors.iter().take(tile.vectors as usize).map(|&vector| emitter.wide_value(vector)).collect();
            for row in rows.clone() {
                let factor = emitter.value(part.rows[row as usize]).text;
                for (v, column) in (0..).zip(&columns) {
                    let sum = sum(if tile.rows == 1 { number } else { row - rows.start }, v);
                    emitter.line(format!("{sum} = fma(({vector_type})({factor}), {column}, {sum});"));
                }
            }
        }
        emitter.close();
    }
}

/// The name of a sum.
fn sum(of: i64, vector: i64) -> String {
    format!("acc{of}_{vector}_")
}
