//! Rows of halves and of floats of a byte where there are no products of them: a part of each row is converted by whole vectors before the innermost
//! loop reads it, which is cheaper than to convert each element where it is broadcast, and takes no copy of the whole factor.

use super::kernel::Kernel;
use super::loops::{self, Loop};
use super::rows::Access;
use super::{Contraction, Tile};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Elements of each row that are converted at a time: those of a tile stay in the innermost cache.
const PART: i64 = 256;

impl Contraction {
    /// The type of rows that are converted ahead of the innermost loop: it walks along them, and each counts for all of it or
    /// not at all.
    pub fn converted_rows(&self, program: &Program, tile: &Tile, profile: &DeviceProfile) -> Option<DataType> {
        let &innermost = self.reduced.last()?;
        let Node::Load { tensor, offset, ty: Ty::F32, .. } = *program.node(self.broadcast) else { return None };
        let data_type = program.tensor(tensor).data_type;
        let (of_rows, others) = loops::split_conditions(program, self, tile);
        let decides = |&condition: &E| program.depends_on(condition, innermost);
        let extent = program.extent(innermost)?;
        let takes = matches!(data_type, DataType::Bf16 | DataType::F16 | DataType::F8E5m2 | DataType::F8E4m3)
            && program.constant_step(offset, innermost) == Some(1)
            && (extent % self.lanes == 0 || extent > 2 * self.lanes)
            && (of_rows.is_empty() || profile.clang_builtins)
            && !of_rows.iter().chain(&others).any(decides);
        (takes && !tile.slides && !self.is_lanewise(program) && self.streams(program, profile).is_none())
            .then_some(data_type)
    }
}

impl Kernel {
    /// A step of the outer loops, by parts of the innermost one. Rows that do not count are zeros.
    pub(super) fn reduce_converted(
        &self,
        emitter: &mut Emitter<'_>,
        inner: &Loop,
        vectors: &[usize],
        present: &[String],
        data_type: DataType,
    ) {
        let Kernel { program, c, .. } = self;
        let (index, lanes, rows) = (emitter.index_type(), c.lanes, self.rows.len());
        let (of, whole, one) = match data_type {
            DataType::F16 => ("half", format!("vload_half{lanes}(i, FROM)"), "vload_half(i, FROM)".into()),
            DataType::F8E5m2 | DataType::F8E4m3 => {
                let decode = emitter.small_decoder(data_type);
                let one = format!("{decode}_4((uchar4)(FROM[i])).x");
                ("uchar", format!("{decode}_{lanes}(vload{lanes}(i, FROM))"), one)
            }
            _ => (
                "ushort",
                format!("as_float{lanes}(convert_uint{lanes}(vload{lanes}(i, FROM)) << 16)"),
                "as_float((uint)FROM[i] << 16)".to_string(),
            ),
        };
        self.open_decided(emitter, inner);
        let extent = emitter.scalar(program.axis(inner.axis).extent);
        let any = if present.is_empty() { String::new() } else { format!("({}) && ", present.join(" || ")) };
        emitter.open(format!("for ({index} part = 0; {any}part < {extent}; part += {PART})"));
        emitter.line(format!("const {index} left = min({extent} - part, ({index}){PART});"));
        emitter.line(format!("float{lanes} lines[{}];", rows as i64 * PART / lanes));
        for r in 0..rows {
            self.declare_row(emitter, &format!("{of} *from{r}_"), r, "part", present.get(r));
            emitter.line(format!("float *row{r}_ = (float *)(lines + {});", r as i64 * PART / lanes));
        }
        emitter.open(format!("for (int i = 0; i < left / {lanes}; ++i)"));
        for r in 0..rows {
            let load = whole.replace("FROM", &format!("from{r}_"));
            emitter.line(format!("lines[{} + i] = {load};", r as i64 * PART / lanes));
        }
        emitter.close();
        if program.extent(inner.axis).is_none_or(|extent| extent % lanes != 0) {
            emitter.open(format!("for (int i = left / {lanes} * {lanes}; i < left; ++i)"));
            for r in 0..rows {
                emitter.line(format!("row{r}_[i] = {};", one.replace("FROM", &format!("from{r}_"))));
            }
            emitter.close();
        }
        self.inner_loop(emitter, std::slice::from_ref(inner), vectors, 0..rows, Access::Converted);
        emitter.close();
        emitter.close();
    }
}
