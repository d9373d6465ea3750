//! The first number of a row, made while the row in front of it is written.
//!
//! Of several numbers of a row, each made of the one before, the first takes a walk of its own, and processors wait at its end. Where elements of bf16
//! are rounded, arithmetic takes about as long as memory, and the row in front is walked in the same steps: what the next one reads arrives
//! meanwhile, and one walk is less to wait for.

use std::collections::HashMap;

use super::Sweep;
use super::emit::Rest;
use super::overlap::begin_anywhere;
use super::row::CHAINS;
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Elements of rows that are worth it, and stay in an inner cache until they are written.
const LENGTHS: std::ops::RangeInclusive<i64> = 256..=4096;

/// The first number of the next row.
#[derive(Debug)]
pub(super) struct Next {
    /// The number of this row, and that of the next one, whose position is on an axis of its own.
    pub first: E,
    e: E,
    position: AxisId,
    /// The axis along the row, and its lanes.
    axis: AxisId,
    lanes: i64,
}

impl Next {
    /// The first number of several, where the innermost loop around them is over an axis.
    pub fn of(program: &mut Program, rows: &[(E, AxisId, i64)], around: Option<AxisId>) -> Option<Next> {
        let &[(first, axis, lanes), (second, ..), ..] = rows else { return None };
        let around = around.filter(|&around| program.depends_on(first, around))?;
        let Node::Reduce { axes, body, .. } = program.node(first) else { return None };
        let fits = axes[..] == [axis]
            && program.extent(axis).is_some_and(|extent| LENGTHS.contains(&extent))
            && program.reductions([second]).contains(&first)
            && program.reductions([*body]).is_empty()
            && begin_anywhere(program, [*body], axis);
        if !fits {
            return None;
        }
        let position = program.add_axis("next", program.axis(around).extent);
        let at = program.at(position);
        let e = program.substitute(first, &HashMap::from([(around, at)]));
        Some(Next { first, e, position, axis, lanes })
    }
}

impl Sweep {
    /// The first number of the next row, if it is made while this one is written in pairs.
    pub(super) fn next_in_pairs(&self) -> Option<&Next> {
        let (program, Some(next), &[inner]) = (&self.program, &self.next, &self.order[self.fixed..]) else {
            return None;
        };
        let written = |store: &&Store| program.depends_on(store.offset, inner);
        let written: Vec<&Store> = self.stage.stores.iter().filter(written).collect();
        let &[&Store { tensor, offset, value }] = &written[..] else { return None };
        let fits = self.looped < self.fixed
            && self.stage.bounds.is_none()
            && self.kept.is_none()
            && self.strip == CHAINS
            && self.lanes == Some((inner, next.lanes))
            && program.extent(inner) == program.extent(next.axis)
            && self.reduces_pairs(next.first, next.axis, next.lanes)
            && self.is_bf16(tensor)
            && program.ty(value) == Ty::F32
            && program.constant_step(offset, inner) == Some(1)
            && self.is_of_pairs(value, inner, &self.shared_in_pairs());
        fits.then_some(next)
    }

    /// A loop over rows, in which the first number of each is made while the row in front of it is written.
    pub(super) fn run_rows_in_pairs(&self, emitter: &mut Emitter<'_>, below: Rest, next: &Next, range: [&str; 2]) {
        let Next { first, e, position, axis, lanes } = *next;
        let (rows, [start, last]) = (self.order[below.depth - 1], range);
        let Node::Reduce { op, body, .. } = *self.program.node(e) else { return };
        let [row, at, made, now, chains, end] =
            ["i", "next", "made", "now", "chains", "i"].map(|name| emitter.fresh(name));
        let (index, ty) = (emitter.index_type(), self.program.ty(e));
        let type_name = emitter.type_name(ty, false);
        emitter.line(format!("{type_name} {made};"));
        emitter.open("");
        emitter.bind(position, start);
        self.row(emitter, e, axis, lanes);
        let number = emitter.scalar(e);
        emitter.line(format!("{made} = {number};"));
        emitter.close();
        emitter.open(format!("for ({index} {row} = {start}; {row} < {last}; ++{row})"));
        emitter.line(format!("const {type_name} {now} = {made};"));
        emitter.line(format!("const {index} {at} = min({row} + 1, {last} - 1);"));
        let names: Vec<String> = (0..CHAINS).map(|chain| format!("{chains}[{chain}]")).collect();
        emitter.line(format!("{type_name}{lanes} {chains}[{CHAINS}];"));
        names.iter().for_each(|chain| emitter.line(format!("{chain} = {};", Emitter::identity(op, ty))));
        self.bind(emitter, rows, &row, &below);
        emitter.define(first, Value { text: now, vector: false });
        emitter.bind(position, at);
        self.walk(emitter, Rest { next: Some(chains), ..below });
        // What the strips of pairs left.
        let extent = emitter.scalar(self.program.axis(axis).extent);
        emitter.line(format!("{index} {end} = {extent} - {extent} % {};", CHAINS * lanes));
        emitter.open(format!("for (; {end} + {lanes} <= {extent}; {end} += {lanes})"));
        emitter.set_lanes(Some((axis, lanes as usize)));
        emitter.bind(axis, end.clone());
        let combined = self.combined(emitter, op, &names[0], body);
        emitter.line(format!("{} = {combined};", names[0]));
        emitter.set_lanes(None);
        emitter.close();
        self.last_of_row(emitter, (e, axis, lanes), [&end, &extent], &names[1]);
        let all = emitter.fresh("row");
        self.fold(emitter, (op, ty), &names, None, &all, lanes);
        emitter.line(format!("{made} = {all};"));
        emitter.close();
    }

    /// Adds pairs of the next row at a position of this one: two vectors from one of a strip on.
    pub(super) fn add_next(&self, emitter: &mut Emitter<'_>, below: &Rest, at: &str, vector: &str) {
        let (Some(next), Some(chains)) = (&self.next, &below.next) else { return };
        let Node::Reduce { op, body, .. } = *self.program.node(next.e) else { return };
        for half in [0, 1] {
            emitter.open("");
            emitter.set_lanes(Some((next.axis, next.lanes as usize)));
            emitter.set_half(Some(half));
            emitter.bind(next.axis, at);
            let target = format!("{chains}[{vector} + {half}]");
            let combined = self.combined(emitter, op, &target, body);
            emitter.line(format!("{target} = {combined};"));
            emitter.set_half(None);
            emitter.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::text_of;

    #[test]
    fn means_are_made_a_row_ahead_where_pairs_are_written_and_nothing_is_kept() {
        let prop = PropKind::ForwardInference;
        let text = |op: Op| text_of(op, |profile| profile.clang_builtins = true);
        let md = |data_type, length| MemoryDesc::with_strides(&[4096, length], data_type, None).unwrap();
        let norm = |md: &MemoryDesc| {
            text(
                Normalization::forward(Sharing::Layer, prop, md, md, None, None, 1e-3, NormFlags::default())
                    .unwrap()
                    .into(),
            )
        };
        let walks = |text: &str| (text.contains("float16 chains"), text.contains("next"));
        for length in [256, 1024, 1000] {
            let text = norm(&md(DataType::Bf16, length));
            assert_eq!(walks(&text), (true, true), "{length}\n{text}");
            assert!(text.contains("+ (2 * "), "the next row is there already\n{text}");
        }
        assert_eq!(walks(&norm(&md(DataType::Bf16, 8192))), (false, false), "it does not stay");
        assert_eq!(walks(&norm(&md(DataType::F32, 1024))), (false, false), "memory takes longer");
        let short = md(DataType::Bf16, 1024);
        let softmax = Softmax::forward(prop, AlgKind::SoftmaxAccurate, &short, &short, 1).unwrap();
        assert_eq!(walks(&text(softmax.into())), (false, false), "exponentials are kept");
    }
}
