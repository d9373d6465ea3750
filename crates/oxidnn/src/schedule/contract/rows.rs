//! Which rows of a tile count at a step of the reduction, and the innermost loops for them.
//!
//! Mostly all do, or all but the first or the last: each of these has a loop of its own. Else those that do not count read
//! zeros, so that the loop asks nothing.

use std::ops::Range;

use super::Contraction;
use super::dots::ZEROS;
use super::kernel::{Edge, Kernel};
use super::loops::{Loop, Row};
use crate::codegen::opencl::{Cache, Emitter, Value};
use crate::desc::DataType;
use crate::program::*;

/// How many panels ahead of their use rows with lanes are asked for.
const PANELS_AHEAD: i64 = 4;
/// Panels for each tile from which on that pays.
pub(super) const MANY_PANELS: i64 = 16;

/// Which rows of a tile count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All.
    All,
    /// Often all, or all but the first or last.
    Most,
    /// It has to be asked for each.
    Some,
}

/// How an innermost loop gets at the broadcast factor.
#[derive(Clone, Copy)]
pub(super) enum Access<'a> {
    /// It is there.
    Sure,
    /// It is there where these conditions hold, one for each row.
    Asked(&'a [String]),
    /// It is there, or zeros are, from pointers on.
    Pointers,
    /// The same, for a part of the loop.
    Converted,
    /// It is there where these conditions hold, else zeros are; where there is none it is there, too.
    OrZeros(&'a [Option<String>]),
}

/// What stands in for rows that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// Nothing: they must not be read.
    Nothing,
    /// Zeros for all of the innermost loop, which walks through f32.
    Line,
    /// A vector of zeros.
    Vector,
}

impl Absent {
    pub(super) fn of(program: &Program, c: &Contraction, rows: &[Row], has_inner: bool) -> Absent {
        let innermost = *c.reduced.last().expect("a sum runs over something");
        let short = program.extent(innermost).is_some_and(|extent| extent * 4 <= ZEROS);
        let factors = || rows.iter().flat_map(|row| &row.factors);
        let is_plain = |&factor: &E| match *program.node(factor) {
            Node::Load { tensor, guard: None, .. } => !program.tensor(tensor).data_type.is_sub_byte(),
            _ => false,
        };
        if !factors().all(is_plain) {
            Absent::Nothing
        } else if c.is_lanewise(program) {
            Absent::Vector
        } else if has_inner && short && are_lines(program, c, rows, DataType::F32) {
            Absent::Line
        } else {
            Absent::Nothing
        }
    }
}

/// Whether the innermost loop walks through elements of a type along each row.
pub(super) fn are_lines(program: &Program, c: &Contraction, rows: &[Row], data_type: DataType) -> bool {
    let innermost = *c.reduced.last().expect("a sum runs over something");
    rows.iter().all(|row| match *program.node(row.factors[0]) {
        Node::Load { tensor, offset, guard: None, ty: Ty::F32 } => {
            program.tensor(tensor).data_type == data_type
                && program.constant_step(offset, innermost) == Some(1)
                && row.bases.len() == 1
        }
        _ => false,
    })
}

/// Whether the rows that count are always neighbours: where each condition holds from some position on, or up to one.
pub(super) fn are_neighbours(program: &Program, row_axes: &[AxisId], conditions: &[E]) -> bool {
    let [line] = row_axes[..] else { return false };
    conditions.iter().all(|&condition| match *program.node(condition) {
        Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
            program.ty(a) == Ty::Index && program.is_linear(a, line) && program.is_linear(b, line)
        }
        _ => false,
    })
}

impl Kernel {
    /// The loops of the reduction.
    pub(super) fn reduce(&self, emitter: &mut Emitter<'_>, vectors: &[usize], which: Rows) {
        let (mut outer, inner) = self.loops.split_at(self.loops.len() - usize::from(self.has_inner));
        let mut window = None;
        if self.tile.slides
            && let Some((level, others)) = outer.split_last()
            && let Some(extent) = level.short.filter(|_| level.bounds.is_empty() && level.tests.is_empty())
        {
            (outer, window) = (others, Some((level.axis, extent)));
        }
        for (depth, level) in outer.iter().enumerate() {
            self.open_loop(emitter, level, &format!("o{depth}_"));
        }
        // What a window slides over is read once for all rows if its steps lie side by side.
        match window {
            Some((axis, extent)) => {
                for step in 0..extent {
                    emitter.open("");
                    emitter.bind(axis, step.to_string());
                    if self.asks_ahead && step == extent / 2 {
                        self.prefetch_panels(emitter);
                    }
                    match which {
                        Rows::Some if self.absent == Absent::Vector => {
                            let present = self.doubtful_rows(emitter, axis, step);
                            let rows = 0..self.rows.len();
                            self.inner_loop(emitter, inner, vectors, rows, Access::OrZeros(&present));
                        }
                        _ => self.reduce_rows(emitter, inner, vectors, which),
                    }
                    emitter.close();
                }
            }
            None => self.reduce_rows(emitter, inner, vectors, which),
        }
        outer.iter().for_each(|_| emitter.close());
    }

    /// Asks for what rows will read some panels later.
    fn prefetch_panels(&self, emitter: &mut Emitter<'_>) {
        let ahead = (PANELS_AHEAD * self.width).to_string();
        for row in &self.rows {
            if let Node::Load { tensor, offset, .. } = *self.program.node(row.factors[0]) {
                emitter.ask_ahead(tensor, offset, &ahead, Cache::Innermost);
            }
        }
    }

    /// For each row whether it counts, where it does not do so in every tile at a step of the window.
    fn doubtful_rows(&self, emitter: &mut Emitter<'_>, window: AxisId, step: i64) -> Vec<Option<String>> {
        let program = &self.program;
        let points = program.points(&self.tile.row_axes).unwrap_or(0);
        let always = |r: usize, row: &Row, condition: E| {
            let [line] = row.axes[..] else { return false };
            (0..points).step_by(self.tile.rows as usize).all(|first| {
                let position = (first + r as i64).min(points - 1);
                let at = |axis: AxisId| match axis {
                    _ if axis == line => Some(position),
                    _ if axis == window => Some(step),
                    _ => None,
                };
                program.holds(condition, &at) == Some(true)
            })
        };
        let doubtful = |(r, row): (usize, &Row)| {
            row.present.filter(|&present| !program.conjuncts(present).into_iter().all(|part| always(r, row, part)))
        };
        let conditions: Vec<Option<E>> = self.rows.iter().enumerate().map(doubtful).collect();
        conditions.into_iter().map(|condition| condition.map(|condition| emitter.scalar(condition))).collect()
    }

    /// A step of the outer loops.
    fn reduce_rows(&self, emitter: &mut Emitter<'_>, inner: &[Loop], vectors: &[usize], which: Rows) {
        (0..self.rows.len()).for_each(|r| self.bind_bases(emitter, r));
        let present: Vec<String> = match which {
            Rows::All => Vec::new(),
            _ => self.rows.iter().filter_map(|row| Some(emitter.scalar(row.present?))).collect(),
        };
        if let [inner] = inner
            && let Some(data_type) = self.converted
        {
            return self.reduce_converted(emitter, inner, vectors, &present, data_type);
        }
        match which {
            Rows::All => self.inner_loop(emitter, inner, vectors, 0..self.rows.len(), Access::Sure),
            Rows::Some => self.some_rows(emitter, inner, vectors, &present, ""),
            Rows::Most => self.most_rows(emitter, inner, vectors, &present),
        }
    }

    /// The innermost loop for all rows, for all but the first or the last, or for those that happen to count.
    fn most_rows(&self, emitter: &mut Emitter<'_>, inner: &[Loop], vectors: &[usize], present: &[String]) {
        let count = present.len();
        let short = if count > 2 { vec![1..count, 0..count - 1] } else { Vec::new() };
        let mut otherwise = "";
        for rows in std::iter::once(0..count).chain(short) {
            let all = match self.neighbours {
                true => format!("{} && {}", present[rows.start], present[rows.end - 1]),
                false => present[rows.clone()].join(" && "),
            };
            emitter.open(format!("{otherwise}if ({all})"));
            self.inner_loop(emitter, inner, vectors, rows, Access::Sure);
            emitter.close();
            otherwise = "else ";
        }
        self.some_rows(emitter, inner, vectors, present, otherwise);
    }

    /// The innermost loop for those rows that happen to count.
    fn some_rows(
        &self,
        emitter: &mut Emitter<'_>,
        inner: &[Loop],
        vectors: &[usize],
        present: &[String],
        otherwise: &str,
    ) {
        if self.absent == Absent::Vector {
            emitter.open(otherwise);
            let present: Vec<Option<String>> = present.iter().cloned().map(Some).collect();
            self.inner_loop(emitter, inner, vectors, 0..present.len(), Access::OrZeros(&present));
            emitter.close();
            return;
        }
        emitter.open(format!("{otherwise}if ({})", present.join(" || ")));
        if self.absent == Absent::Line {
            present.iter().enumerate().for_each(|(r, present)| self.point_at_row(emitter, r, Some(present)));
            self.inner_loop(emitter, inner, vectors, 0..present.len(), Access::Pointers);
        } else {
            self.inner_loop(emitter, inner, vectors, 0..present.len(), Access::Asked(present));
        }
        emitter.close();
    }

    /// A pointer to where the innermost loop starts to read a row, or to zeros where it does not count.
    fn point_at_row(&self, emitter: &mut Emitter<'_>, r: usize, present: Option<&String>) {
        self.declare_row(emitter, &format!("float *row{r}_"), r, "0", present);
    }

    /// Declares a pointer to constant elements: to those of a row from a step of the innermost loop on, or to zeros where the
    /// row does not count.
    pub(super) fn declare_row(
        &self,
        emitter: &mut Emitter<'_>,
        declaration: &str,
        r: usize,
        step: &str,
        present: Option<&String>,
    ) {
        let Node::Load { tensor, .. } = *self.program.node(self.rows[r].factors[0]) else { return };
        let start = format!("{} + base{r}_0_ + {step}", emitter.tensor_argument(tensor));
        let from = match present {
            Some(present) => {
                let zeros = emitter.zeros();
                format!("(const __global void *)({present} ? (size_t)({start}) : (size_t){zeros})")
            }
            None => start,
        };
        emitter.line(format!("const __global {declaration} = {from};"));
    }

    pub(super) fn inner_loop(
        &self,
        emitter: &mut Emitter<'_>,
        inner: &[Loop],
        vectors: &[usize],
        rows: Range<usize>,
        access: Access<'_>,
    ) {
        let Kernel { program, c, .. } = self;
        let ty = program.ty(c.sum);
        let lanewise = c.is_lanewise(program);
        // Some compilers gather offsets in vectors, and take them apart again for each load; pointers they leave alone.
        let access = match access {
            Access::Sure if self.lines => {
                rows.clone().for_each(|r| self.point_at_row(emitter, r, None));
                Access::Pointers
            }
            access => access,
        };
        let innermost: Vec<AxisId> = inner.iter().map(|level| level.axis).collect();
        for row in rows.clone() {
            self.rows[row]
                .factors
                .iter()
                .for_each(|&factor| self.hoist(emitter, factor, &innermost, vectors, lanewise));
        }
        vectors.iter().for_each(|&v| emitter.hoist(self.vectors[v], &innermost));
        match access {
            Access::Converted => {
                emitter.open(format!("for ({} k = 0; k < left; ++k)", emitter.index_type()));
                innermost.iter().for_each(|&axis| emitter.bind(axis, "(part + k)"));
            }
            _ => inner.iter().for_each(|level| self.open_loop(emitter, level, "k")),
        }
        let vector_type = emitter.type_name(ty, true);
        if let Some(ahead) = self.prefetch.as_ref().filter(|_| !inner.is_empty()) {
            vectors.iter().filter_map(|&v| ahead.get(v)).for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
        }
        if let Some(ahead) = self.row_prefetch.as_ref().filter(|_| !inner.is_empty()) {
            ahead.iter().for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
        }
        let columns: Vec<String> = vectors.iter().map(|&v| emitter.wide_value(self.vectors[v])).collect();
        for r in rows {
            let row = &self.rows[r];
            for (&v, column) in vectors.iter().zip(&columns) {
                let factor = row.factors[if lanewise { v } else { 0 }];
                let value = match access {
                    Access::Sure => emitter.value(factor),
                    // A row that does not count must not be read.
                    Access::Asked(present) => emitter.value_if(&present[r], factor),
                    Access::OrZeros(present) => match &present[r] {
                        Some(present) => emitter.value_or_zeros(present, factor),
                        None => emitter.value(factor),
                    },
                    Access::Pointers | Access::Converted => Value { text: format!("row{r}_[k]"), vector: false },
                };
                let (a, sum) = (value.text, format!("acc{r}_{v}_"));
                emitter.line(if ty.is_float() {
                    format!("{sum} = fma(({vector_type})({a}), {column}, {sum});")
                } else {
                    format!("{sum} += {a} * {column};")
                });
            }
        }
        inner.iter().for_each(|_| emitter.close());
    }

    fn hoist(&self, emitter: &mut Emitter<'_>, factor: E, axes: &[AxisId], vectors: &[usize], lanewise: bool) {
        // The ragged edge's own column is bound only there.
        let ragged = matches!(self.edge, Edge::Ragged { start, .. } if self.program.depends_on(factor, start));
        let at_edge = matches!(self.edge, Edge::Ragged { vector, .. } if vectors == [vector]);
        if !lanewise || ragged == at_edge {
            emitter.hoist(factor, axes);
        }
    }
}
