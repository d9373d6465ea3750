//! Products that only the next stage reads become part of it: the gates of a recurrent cell and the cell.
//!
//! A stage of products that go to scratch memory, and a stage that reads several of them at each of its points, are the same as the
//! second one with sums in place of its loads. The tile of a contraction then holds all the sums of a point, and a launch
//! and a way through memory are saved.

use std::collections::HashMap;

use super::contract::{Contraction, contiguous};
use super::{is_arg, read};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Sums of one point, at most: each needs registers in every row of a tile.
const MOST_SUMS: usize = 4;
/// Rows from which on the products gain more by panels of their own than by being joined.
const MOST_ROWS: i64 = 24;

/// Joins what can be joined. Factors that read one of the `open` arguments can be laid out as the joined stage wants them.
pub(super) fn join(program: &mut Program, profile: &DeviceProfile, open: &[i32]) {
    let mut at = 0;
    while at + 1 < program.stages.len() {
        if let Some(joined) = join_stages(program, at, profile, open) {
            program.stages[at + 1] = joined;
            program.stages.remove(at);
        }
        at += 1;
    }
}

/// The stage behind a position with the products of the one at the position in place of its loads.
fn join_stages(program: &mut Program, at: usize, profile: &DeviceProfile, open: &[i32]) -> Option<Stage> {
    let (products, mut stage) = (program.stages[at].clone(), program.stages[at + 1].clone());
    let [store] = products.stores[..] else { return None };
    let Tensor { data_type, binding, .. } = *program.tensor(store.tensor);
    let exact = matches!((data_type, program.ty(store.value)), (DataType::F32, Ty::F32) | (DataType::S32, Ty::S32));
    let private = matches!(binding, Binding::Scratch { .. });
    if !exact || !private || products.repeat != stage.repeat || stage.bounds.is_some() {
        return None;
    }
    Contraction::of(program, &products, profile)?;
    let touches = |other: &Stage| program.stage_tensors(other).iter().any(|(tensor, _)| *tensor == store.tensor);
    let others = program.stages.iter().enumerate().filter(|(index, _)| *index != at && *index != at + 1);
    if others.into_iter().any(|(_, other)| touches(other))
        || !program.reductions(program.roots(&stage)).is_empty()
        || stage.stores.iter().any(|written| written.tensor == store.tensor)
        || !stays_apart(program, &products, &stage)
    {
        return None;
    }
    let mut loads = Vec::new();
    program.visit(program.roots(&stage), &mut |e| {
        if let Node::Load { tensor, offset, guard, ty } = *program.node(e)
            && tensor == store.tensor
        {
            loads.push((e, offset, guard, ty));
        }
    });
    let once = program.points(&products.axes)? == program.points(&stage.axes)? * loads.len() as i64;
    if loads.is_empty() || loads.len() > MOST_SUMS || !once {
        return None;
    }
    for (load, offset, guard, ty) in loads {
        if guard.is_some() || ty != program.ty(store.value) {
            return None;
        }
        let positions = positions(program, &products, store.offset, &stage, offset)?;
        let value = program.substitute(store.value, &positions);
        program.replace_in(&mut stage, load, value);
    }
    let c = Contraction::of(program, &stage, profile)?;
    // A copy that turns a tensor does so faster than a tile that stores across.
    if stage.stores.iter().any(|store| program.step(store.offset, c.columns) != Some(1)) {
        return None;
    }
    let rows = c.row_count(program)?;
    let width = c.width(&c.tile(program, profile)?);
    let is_open = c
        .vectors()
        .all(|vector| read(program, vector).iter().any(|&t| open.iter().any(|&arg| is_arg(program, t, arg))));
    let flat = c.dot.is_none() && c.vectors().all(|vector| contiguous(program, vector, c.columns, c.lanes));
    (is_open || c.is_packed(program, width) || (flat && rows < MOST_ROWS)).then_some(stage)
}

/// Where along the axes of `products` the element lies that `stage` reads at `offset`.
fn positions(
    program: &mut Program,
    products: &Stage,
    stored: E,
    stage: &Stage,
    offset: E,
) -> Option<HashMap<AxisId, E>> {
    let linear = |program: &Program, e: E, axes: &[AxisId]| axes.iter().all(|&axis| program.is_linear(e, axis));
    if !linear(program, stored, &products.axes) || !linear(program, offset, &stage.axes) {
        return None;
    }
    let origin = |program: &Program, e: E| program.evaluate(e, &|_| Some(0));
    let mut rest = origin(program, offset)? - origin(program, stored)?;
    let mut left: Vec<(i64, AxisId)> = Vec::new();
    for &axis in &products.axes {
        left.push((program.step(stored, axis)?, axis));
    }
    let mut positions = HashMap::new();
    for &axis in &stage.axes {
        let (step, extent) = (program.step(offset, axis)?, program.extent(axis)?);
        if extent == 1 {
            continue;
        }
        let same = |&(stride, of): &(i64, AxisId)| stride == step && program.extent(of) == Some(extent);
        let (_, of) = left.remove(left.iter().position(same)?);
        positions.insert(of, program.at(axis));
    }
    left.sort_by_key(|&(stride, _)| std::cmp::Reverse(stride));
    for (stride, axis) in left {
        let extent = program.extent(axis)?;
        let at = if stride > 0 { (rest / stride).min(extent - 1) } else { 0 };
        rest -= at * stride;
        positions.insert(axis, program.index(at));
    }
    (rest == 0).then_some(positions)
}

/// Whether a stage writes nothing that the products before it read at other points: all its work-items may run while some still
/// multiply.
fn stays_apart(program: &Program, products: &Stage, stage: &Stage) -> bool {
    let binding = |tensor: TensorId| program.tensor(tensor).binding;
    let mut apart = true;
    program.visit(program.roots(products), &mut |e| {
        let Node::Load { tensor, offset, .. } = *program.node(e) else { return };
        for store in stage.stores.iter().filter(|store| binding(store.tensor) == binding(tensor)) {
            let sides: Option<Vec<bool>> = [false, true]
                .into_iter()
                .map(|last| {
                    let (read_from, read_to) = range(program, tensor, offset, last)?;
                    let (written_from, written_to) = range(program, store.tensor, store.offset, last)?;
                    (read_to <= written_from || written_to <= read_from).then_some(read_to <= written_from)
                })
                .collect();
            // Ranges move evenly from run to run, so those of the runs between lie between.
            apart &= sides.is_some_and(|sides| sides[0] == sides[1]);
        }
    });
    apart
}

/// The bits of a tensor that offsets which grow along their axes reach, in the first or the last run of a repeat.
fn range(program: &Program, tensor: TensorId, offset: E, last: bool) -> Option<(i64, i64)> {
    let from = program.evaluate_in(offset, &|_| Some(0), last)?;
    let end = |axis: AxisId| program.extent(axis).map(|extent| (extent - 1).max(0));
    let to = program.evaluate_in(offset, &end, last)?;
    let grows = |&axis: &AxisId| program.is_linear(offset, axis) && program.step(offset, axis) >= Some(0);
    let bits = i64::from(program.tensor(tensor).data_type.bits());
    program.free_axes(offset).iter().all(grows).then_some((from * bits, (to + 1) * bits))
}
