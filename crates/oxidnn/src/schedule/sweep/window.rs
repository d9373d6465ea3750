//! Windows along a row: a stage that reads neighbours of an element, where its result may take the element's place.
//!
//! A row is copied to memory of the work-item first, with zeros on both sides. From there windows are read without asking what is
//! outside, and what is written meanwhile does not matter. Each row is copied before the one in front of it is computed: a vector that
//! was stored in two others can only be read once these have left the processor.

use super::emit::Rest;
use super::{Sweep, takes};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The longest row, in elements.
const LONGEST: i64 = 4096;
/// Zeros on either side; the most that windows reach.
const MARGIN: i64 = 32;

/// Loads of a stage that are windows along a row.
struct Windows {
    row: AxisId,
    /// The element itself.
    own: E,
    /// The loads, and the positions in the row that they read.
    loads: Vec<(E, E)>,
    /// Whether all that is wanted of the loads are their squares.
    squares: bool,
}

/// A row in memory of the work-item.
#[derive(Debug)]
pub(super) struct Row {
    pub axis: AxisId,
    /// What windows are read of.
    pub tensor: TensorId,
    size: usize,
    /// What copies it, to where the next one is read of.
    pub copy: Store,
}

/// The axis of the rows, where a stage reads windows along them and nothing else of what its result may take the place of.
pub(in crate::schedule) fn windows_along(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<AxisId> {
    find(program, stage, profile).map(|windows| windows.row)
}

fn find(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Windows> {
    let [store] = stage.stores[..] else { return None };
    if !takes(program, stage, profile) || stage.bounds.is_some() {
        return None;
    }
    let row = *stage.axes.iter().find(|&&axis| program.constant_step(store.offset, axis) == Some(1))?;
    let length = program.extent(row).filter(|extent| (4..=LONGEST).contains(extent))?;
    let moves_alike = |offset: E| {
        let same = |&axis: &AxisId| {
            program.is_linear(offset, axis) && program.step(offset, axis) == program.step(store.offset, axis)
        };
        stage.axes.iter().all(same)
    };
    let is_own = |e: E| match *program.node(e) {
        Node::Load { tensor, offset, guard: None, ty: Ty::F32 } if moves_alike(offset) => Some((e, tensor)),
        _ => None,
    };
    let own: Vec<(E, TensorId)> = program.outside_of_reductions([store.value]).into_iter().filter_map(is_own).collect();
    let (mut loads, mut squares) = (Vec::new(), true);
    for reduction in program.reductions([store.value]) {
        let Node::Reduce { axes, body, .. } = program.node(reduction) else { continue };
        let mut read = Vec::new();
        program.visit([*body], &mut |e| {
            if matches!(program.node(e), Node::Load { .. }) {
                read.push(e);
            }
        });
        for e in read {
            let Node::Load { tensor, offset, guard: Some(guard), ty: Ty::F32 } = *program.node(e) else { return None };
            let along = moves_alike(offset)
                && axes.iter().all(|&axis| axis != row && program.constant_step(offset, axis) == Some(1));
            let position = position(program, guard, row, length).filter(|_| along)?;
            // Windows at the ends of the row reach into the margins and no farther.
            let reach = |last: bool| {
                let at = |axis: AxisId| program.extent(axis).map(|extent| if last { extent - 1 } else { 0 });
                program.evaluate(position, &at)
            };
            if reach(false)? < -MARGIN || reach(true)? >= length + MARGIN || !own.iter().any(|(_, of)| *of == tensor) {
                return None;
            }
            squares &= *program.node(*body) == Node::Binary(BinaryOp::Mul, e, e);
            loads.push((e, position));
        }
    }
    let (first, _) = loads.first()?;
    let Node::Load { tensor: read, .. } = *program.node(*first) else { return None };
    let same = |e: &E| matches!(*program.node(*e), Node::Load { tensor, .. } if tensor == read);
    let (own, _) = *own.iter().find(|(_, tensor)| *tensor == read)?;
    loads.iter().all(|(e, _)| same(e)).then_some(Windows { row, own, loads, squares })
}

/// The position in a row that a guard asks to be inside of it, if it asks for nothing else.
fn position(program: &Program, guard: E, row: AxisId, length: i64) -> Option<E> {
    let [low, high] = program.conjuncts(guard)[..] else { return None };
    let (Node::Binary(BinaryOp::Le, zero, at), Node::Binary(BinaryOp::Lt, below, end)) =
        (program.node(low), program.node(high))
    else {
        return None;
    };
    let fits = *program.node(*zero) == Node::Index(0)
        && at == below
        && program.value(*end) == Some(length)
        && program.constant_step(*at, row) == Some(1);
    fits.then_some(*at)
}

impl Row {
    /// The row of a stage that reads windows; the stage reads them of the copy then.
    pub fn of(program: &mut Program, stage: &mut Stage, profile: &DeviceProfile) -> Option<Row> {
        let Windows { row, own, loads, squares } = find(program, stage, profile)?;
        let size = ((program.extent(row)? + 2 * MARGIN) as u64).next_power_of_two() as usize;
        let [tensor, next] = ["row", "next"].map(|name| program.add_scratch(name, DataType::F32, size).0);
        let margin = program.index(MARGIN);
        for (load, position) in loads {
            let offset = program.add(position, margin);
            let copied = program.load(tensor, offset, Ty::F32);
            let replaced = if squares { program.mul(load, load) } else { load };
            program.replace_in(stage, replaced, copied);
        }
        let at = program.at(row);
        let offset = program.add(at, margin);
        let value = if squares { program.mul(own, own) } else { own };
        Some(Row { axis: row, tensor, size, copy: Store { tensor: next, offset, value } })
    }
}

impl Sweep {
    /// Declares room for two rows, all zeros.
    pub(super) fn declare_row(&self, emitter: &mut Emitter<'_>) {
        if let Some(Row { tensor, size, copy, .. }) = self.windows {
            emitter.declare_private(&[tensor, copy.tensor], size);
        }
    }

    /// Copies a row to where the next one is read of.
    pub(super) fn copy_row(&self, emitter: &mut Emitter<'_>, row: &Row, rest: &Rest, first: &str, last: &str) {
        self.run_once(emitter, Rest { stores: vec![row.copy], ..rest.clone() }, first, last);
    }

    /// Makes the row that was copied the one that is read.
    pub(super) fn exchange_rows(&self, emitter: &mut Emitter<'_>, row: &Row) {
        let [read, copied] = [row.tensor, row.copy.tensor].map(|tensor| emitter.tensor_argument(tensor));
        let kept = emitter.fresh("kept");
        emitter.line(format!("float *{kept} = {read}; {read} = {copied}; {copied} = {kept};"));
    }

    /// A loop around rows of which windows are read.
    pub(super) fn run_ahead(&self, emitter: &mut Emitter<'_>, row: &Row, below: Rest, first: &str, last: &str) {
        let axis = self.order[below.depth - 1];
        let index = emitter.index_type();
        let extent = emitter.scalar(self.program.axis(row.axis).extent);
        let position = emitter.fresh("i");
        emitter.open(format!("if ({first} < {last})"));
        emitter.bind(axis, first);
        self.copy_row(emitter, row, &below, "0", &extent);
        self.exchange_rows(emitter, row);
        emitter.close();
        emitter.open(format!("for ({index} {position} = {first}; {position} < {last}; ++{position})"));
        emitter.open(format!("if ({position} + 1 < {last})"));
        emitter.bind(axis, format!("({position} + 1)"));
        self.copy_row(emitter, row, &below, "0", &extent);
        emitter.close();
        self.bind(emitter, axis, &position, &below);
        self.walk(emitter, Rest { is_copied: true, ..below });
        self.exchange_rows(emitter, row);
        emitter.close();
    }
}
