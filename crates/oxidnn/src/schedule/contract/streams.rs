//! One row by a matrix: no element of the matrix is used twice, so memory sets the pace.
//!
//! One place that memory is read from keeps it less busy than several do. So the reduction is walked in several parts at
//! once, each with sums of its own.

use std::collections::HashMap;

use super::kernel::Kernel;
use super::{Contraction, Tile, loops};
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// How many parts are walked at once.
pub(super) const STREAMS: i64 = 4;
/// Vectors of a tile that leave registers for the sums of all parts.
pub(super) const VECTORS: i64 = 4;

/// A part of the reduction.
pub(super) struct Stream {
    /// The factors, at a step of this part.
    vectors: Vec<E>,
    broadcast: E,
    /// Where vectors will be read from some steps later.
    ahead: Vec<(TensorId, E)>,
}

impl Contraction {
    /// Whether memory sets the pace: one row, of numbers that are multiplied as they are read.
    pub fn streams(&self, program: &Program) -> bool {
        let plain = |e: E| matches!(program.node(e), Node::Load { guard: None, ty: Ty::F32, .. });
        let [axis] = self.reduced[..] else { return false };
        program.ty(self.sum) == Ty::F32
            && self.dot.is_none()
            && self.row_count(program) == Some(1)
            && !self.is_lanewise(program)
            && plain(self.vector)
            && plain(self.broadcast)
            && program.extent(axis).is_some_and(|steps| steps % STREAMS == 0)
    }
}

/// The parts, each as long as `steps` says.
pub(super) fn streams(
    program: &mut Program,
    c: &Contraction,
    tile: &Tile,
    vectors: &[E],
    prefetch: bool,
) -> Option<(E, Vec<Stream>)> {
    if tile.vectors > VECTORS || !c.streams(program) {
        return None;
    }
    let axis = c.reduced[0];
    let steps = program.param(program.extent(axis)? / STREAMS);
    let parts = (0..STREAMS).map(|part| {
        let (at, number) = (program.at(axis), program.index(part));
        let start = program.mul(number, steps);
        let here = HashMap::from([(axis, program.add(start, at))]);
        let vectors: Vec<E> = vectors.iter().map(|&vector| program.substitute(vector, &here)).collect();
        let ahead = prefetch
            .then(|| loops::prefetches(program, &vectors, axis, 1, loops::Ahead::Gaps))
            .flatten()
            .unwrap_or_default();
        Stream { broadcast: program.substitute(c.broadcast, &here), vectors, ahead }
    });
    let parts = parts.collect();
    Some((steps, parts))
}

impl Kernel {
    /// Fills the array `tile` with the sums of all parts.
    pub(super) fn accumulate_streams(&self, emitter: &mut Emitter<'_>, steps: E, streams: &[Stream]) {
        let Kernel { program, c, tile, .. } = self;
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), true));
        let name = |part: usize, vector: i64| format!("acc{part}_{vector}_");
        for part in 0..streams.len() {
            let names: Vec<String> = (0..tile.vectors).map(|v| format!("{} = 0", name(part, v))).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
        let steps = emitter.scalar(steps);
        emitter.open(format!("for ({index} k = 0; k < {steps}; ++k)"));
        emitter.bind(c.reduced[0], "k");
        for (part, stream) in streams.iter().enumerate() {
            stream.ahead.iter().for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
            let factor = emitter.value(stream.broadcast).text;
            for (v, &vector) in (0..tile.vectors).zip(&stream.vectors) {
                let (sum, column) = (name(part, v), emitter.wide_value(vector));
                emitter.line(format!("{sum} = fma(({vector_type})({factor}), {column}, {sum});"));
            }
        }
        emitter.close();
        let sums: Vec<String> = (0..tile.vectors)
            .map(|v| (0..streams.len()).map(|part| name(part, v)).collect::<Vec<_>>().join(" + "))
            .collect();
        emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", sums.len(), sums.join(", ")));
    }
}
