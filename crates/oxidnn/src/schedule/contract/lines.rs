//! Rows of bf16 where there are no dot products of it: a part of each row is converted by whole vectors before the innermost
//! loop reads it, which is cheaper than to convert each element where it is broadcast.

use super::kernel::Kernel;
use super::loops::{Loop, Row};
use super::rows::{self, Access};
use super::{Contraction, Tile};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;

/// Elements of each row that are converted at a time: those of a tile stay in the innermost cache.
const PART: i64 = 256;

/// Whether rows are converted ahead of the innermost loop.
pub(super) fn are_converted(program: &Program, c: &Contraction, tile: &Tile, rows: &[Row], loops: &[Loop]) -> bool {
    let Some((inner, innermost)) = loops.last().zip(c.reduced.last()) else { return false };
    let whole = program.extent(*innermost).is_some_and(|extent| extent % c.lanes == 0);
    let is_plain = inner.bounds.is_empty() && inner.tests.is_empty();
    whole && is_plain && !tile.slides && !c.is_lanewise(program) && rows::are_lines(program, c, rows, DataType::Bf16)
}

impl Kernel {
    /// A step of the outer loops, by parts of the innermost one. Rows that do not count are zeros.
    pub(super) fn reduce_converted(
        &self,
        emitter: &mut Emitter<'_>,
        inner: &Loop,
        vectors: &[usize],
        present: &[String],
    ) {
        let Kernel { program, c, .. } = self;
        let (index, lanes, rows) = (emitter.index_type(), c.lanes, self.rows.len());
        let extent = emitter.scalar(program.axis(inner.axis).extent);
        let any = if present.is_empty() { String::new() } else { format!("({}) && ", present.join(" || ")) };
        emitter.open(format!("for ({index} part = 0; {any}part < {extent}; part += {PART})"));
        emitter.line(format!("const {index} left = min({extent} - part, ({index}){PART});"));
        emitter.line(format!("float{lanes} lines[{}];", rows as i64 * PART / lanes));
        for r in 0..rows {
            self.declare_row(emitter, &format!("ushort *from{r}_"), r, "part", present.get(r));
            emitter.line(format!("const float *row{r}_ = (const float *)(lines + {});", r as i64 * PART / lanes));
        }
        emitter.open(format!("for (int i = 0; i < left / {lanes}; ++i)"));
        for r in 0..rows {
            let load = format!("convert_uint{lanes}(vload{lanes}(i, from{r}_))");
            emitter.line(format!("lines[{} + i] = as_float{lanes}({load} << 16);", r as i64 * PART / lanes));
        }
        emitter.close();
        self.inner_loop(emitter, std::slice::from_ref(inner), vectors, 0..rows, Access::Converted);
        emitter.close();
    }
}
