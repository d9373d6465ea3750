//! One row by a matrix, or a few by one that no cache holds: each element of the matrix is read once, so memory sets the pace.
//!
//! One place that memory is read from keeps it less busy than several do. So the reduction is walked in several parts at
//! once. A tile has all rows, which lie side by side at each step ([`pack`](crate::schedule::pack) sees to that): rows that are
//! apart by a power of two get in each other's way in the innermost cache.

use std::collections::HashMap;

use super::kernel::{self, Kernel};
use super::loops::{self, Ahead, Row};
use super::{Contraction, Tile, contiguous};
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::map::bind_linear;

/// How many parts are walked at once.
pub(super) const STREAMS: i64 = 4;
/// Vectors of a tile, at most: those of one row leave registers for sums of each part, those of several have enough to do.
const VECTORS: i64 = 4;
/// Rows, at most.
const MOST_ROWS: i64 = 16;

/// A part of the reduction.
pub(super) struct Stream {
    /// The factors, at a step of this part; the broadcast one for each row.
    vectors: Vec<E>,
    rows: Vec<E>,
    /// Where vectors will be read from some steps later.
    ahead: Vec<(TensorId, E)>,
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
        let vectors = ((profile.vector_registers() - 1) / (rows + 1)).min(VECTORS);
        let takes = rows <= MOST_ROWS
            && vectors > 0
            && self.row_axes.len() == 1
            && self.more.is_empty()
            && kernel::bytes(program, tensor) > profile.cache_bytes as i64
            && (self.open || self.is_packed(program, vectors * self.lanes));
        takes.then_some(vectors)
    }

    /// Whether there are several rows of this kind that do not lie side by side.
    pub fn wants_rows_together(&self, program: &Program, profile: &DeviceProfile) -> bool {
        let [rows] = self.row_axes[..] else { return false };
        let several = program.extent(rows).is_some_and(|rows| rows > 1);
        several && self.streams(program, profile).is_some() && !contiguous(program, self.broadcast, rows, 2)
    }
}

/// The parts, each as long as `steps` says.
pub(super) fn streams(
    program: &mut Program,
    c: &Contraction,
    tile: &Tile,
    vectors: &[E],
    rows: &[Row],
    profile: &DeviceProfile,
) -> Option<(E, Vec<Stream>)> {
    if tile.vectors > c.streams(program, profile)? {
        return None;
    }
    let axis = c.reduced[0];
    let steps = program.param(program.extent(axis)? / STREAMS);
    let ahead = if tile.rows == 1 { Ahead::Gaps } else { Ahead::Steps };
    let parts = (0..STREAMS).map(|part| {
        let (at, number) = (program.at(axis), program.index(part));
        let start = program.mul(number, steps);
        let here = HashMap::from([(axis, program.add(start, at))]);
        let vectors: Vec<E> = vectors.iter().map(|&vector| program.substitute(vector, &here)).collect();
        let vectors = if tile.rows == 1 { vectors } else { step_in_text(program, vectors, axis) };
        let ahead = profile
            .clang_builtins
            .then(|| loops::prefetches(program, &vectors, axis, 1, ahead))
            .flatten()
            .unwrap_or_default();
        let mut row = |row: &Row| {
            let mut here = here.clone();
            here.extend(tile.row_axes.iter().zip(&row.axes).map(|(&axis, &own)| (axis, program.at(own))));
            program.substitute(c.broadcast, &here)
        };
        Stream { rows: rows.iter().map(&mut row).collect(), vectors, ahead }
    });
    let parts = parts.collect();
    Some((steps, parts))
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
    /// Sums all parts up: those of one row to the array `tile`, of several to the names of their sums.
    pub(super) fn accumulate_streams(&self, emitter: &mut Emitter<'_>, steps: E, streams: &[Stream]) {
        let Kernel { program, c, tile, .. } = self;
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), true));
        // The products of one row are too few to wait for each other.
        let single = tile.rows == 1;
        let sums = if single { streams.len() } else { tile.rows as usize };
        let name = |of: usize, vector: i64| format!("acc{of}_{vector}_");
        for of in 0..sums {
            let names: Vec<String> = (0..tile.vectors).map(|v| format!("{} = 0", name(of, v))).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
        // There is one tile of rows. Their numbers in the text are distances from a pointer that they share.
        for (r, row) in self.rows.iter().enumerate() {
            bind_linear(emitter, program, &row.axes, r.to_string());
        }
        let steps = emitter.scalar(steps);
        emitter.open(format!("for ({index} k = 0; k < {steps}; ++k)"));
        emitter.bind(c.reduced[0], "k");
        for (part, stream) in streams.iter().enumerate() {
            stream.ahead.iter().for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
            let columns: Vec<String> =
                stream.vectors.iter().take(tile.vectors as usize).map(|&vector| emitter.wide_value(vector)).collect();
            for (r, &row) in stream.rows.iter().enumerate() {
                let factor = emitter.value(row).text;
                for (v, column) in (0..).zip(&columns) {
                    let sum = name(if single { part } else { r }, v);
                    emitter.line(format!("{sum} = fma(({vector_type})({factor}), {column}, {sum});"));
                }
            }
        }
        emitter.close();
        if single {
            let sums: Vec<String> = (0..tile.vectors)
                .map(|v| (0..streams.len()).map(|part| name(part, v)).collect::<Vec<_>>().join(" + "))
                .collect();
            emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", sums.len(), sums.join(", ")));
        }
    }
}
