//! Rows of bf16 where there are no dot products of it: a part of each row is converted by whole vectors before the innermost
//! loop reads it, which is cheaper than to convert each element where it is broadcast.

use super::kernel::Kernel;
use super::loops::{Loop, Row};
use super::rows::Access;
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
    let is_short = |row: &Row| match *program.node(row.factors[0]) {
        Node::Load { tensor, offset, guard: None, ty: Ty::F32 } => {
            program.tensor(tensor).data_type == DataType::Bf16
                && program.constant_step(offset, *innermost) == Some(1)
                && row.bases.len() == 1
        }
        _ => false,
    };
    whole && is_plain && !tile.slides && !c.is_lanewise(program) && rows.iter().all(is_short)
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
        for (r, row) in self.rows.iter().enumerate() {
            let Node::Load { tensor, .. } = *program.node(row.factors[0]) else { continue };
            let start = format!("{} + base{r}_0_ + part", emitter.tensor_argument(tensor));
            let from = match present.get(r) {
                Some(present) => {
                    let zeros = emitter.zeros();
                    format!("(const __global ushort *)({present} ? (size_t)({start}) : (size_t){zeros})")
                }
                None => start,
            };
            emitter.line(format!("const __global ushort *from{r}_ = {from};"));
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
