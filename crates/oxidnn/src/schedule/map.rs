//! One work-item a point of the domain; reductions are loops inside it.
//!
//! The innermost axis is the first dimension of the index space, so that neighbouring work-items touch neighbouring
//! elements. Outputs of 4-bit types take a work-item for each byte, in physical order, because two elements share it.

use super::{Scheduled, extents, needs_wide_indices};
use crate::codegen::opencl::Emitter;
use crate::program::{AxisId, Program, Stage};
use crate::runtime::NdRange;
use crate::{Error, Result};

/// Takes any stage.
pub fn schedule(program: &Program, stage: &Stage) -> Result<Scheduled> {
    let extents = extents(program, stage)?;
    let tensors = program.stage_tensors(stage);
    let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
    let packed = stage.stores.iter().any(|store| program.tensor(store.tensor).data_type.is_sub_byte());
    let count = extents.len();
    let from_end = |back: usize| if count >= back { extents[count - back] } else { 1 };
    let outer = extents.iter().rev().skip(2).product();
    let global = if packed && rows_start_on_bytes(program, stage, &extents) {
        packed_rows_body(&mut emitter, program, stage);
        [from_end(1).div_ceil(2), from_end(2), outer]
    } else if packed {
        check_packable(program, stage, &extents)?;
        packed_body(&mut emitter, program, stage);
        [extents.iter().product::<usize>().div_ceil(2), 1, 1]
    } else {
        point_body(&mut emitter, program, stage);
        [from_end(1), from_end(2), outer]
    };
    let source = emitter.finish(stage.name, "", &tensors);
    Ok(Scheduled::new(program, "map", source, NdRange { global, local: None }))
}

/// Binds axes to the position that a linear index variable holds; the innermost axis varies fastest.
pub(super) fn bind_linear(emitter: &mut Emitter<'_>, program: &Program, axes: &[AxisId], linear: String) {
    let positions = positions(emitter, program, axes, linear);
    axes.iter().zip(positions).for_each(|(&axis, position)| emitter.bind(axis, position));
}

/// The position along each axis that a linear index variable holds.
pub(super) fn positions(
    emitter: &mut Emitter<'_>,
    program: &Program,
    axes: &[AxisId],
    mut linear: String,
) -> Vec<String> {
    let index_type = emitter.index_type();
    let mut positions = Vec::new();
    for &axis in axes.iter().skip(1).rev() {
        let extent = emitter.scalar(program.axis(axis).extent);
        let position = emitter.fresh("i");
        let rest = emitter.fresh("i");
        emitter.line(format!("const {index_type} {position} = {linear} % {extent};"));
        emitter.line(format!("const {index_type} {rest} = {linear} / {extent};"));
        positions.push(position);
        linear = rest;
    }
    positions.extend(axes.first().map(|_| linear));
    positions.reverse();
    positions
}

/// Binds a stage's axes to the work-item's ids: the last two directly, the others through one linear index. The last
/// `bound` axes are bound by the caller.
fn bind_ids(emitter: &mut Emitter<'_>, program: &Program, stage: &Stage, bound: usize) {
    let index_type = emitter.index_type();
    let (outer, inner) = stage.axes.split_at(stage.axes.len().saturating_sub(2));
    for (dimension, &axis) in inner.iter().rev().enumerate().skip(bound) {
        let name = emitter.fresh("i");
        emitter.line(format!("const {index_type} {name} = ({index_type})get_global_id({dimension});"));
        emitter.bind(axis, name);
    }
    if !outer.is_empty() {
        let name = emitter.fresh("i");
        emitter.line(format!("const {index_type} {name} = ({index_type})get_global_id(2);"));
        bind_linear(emitter, program, outer, name);
    }
}

fn point_body(emitter: &mut Emitter<'_>, program: &Program, stage: &Stage) {
    bind_ids(emitter, program, stage, 0);
    let Some(bounds) = stage.bounds else {
        stage.stores.iter().for_each(|store| emitter.store(store));
        return;
    };
    let inside = emitter.scalar(bounds);
    emitter.open(format!("if ({inside})"));
    stage.stores.iter().for_each(|store| emitter.store(store));
    emitter.close();
    emitter.open("else");
    stage.stores.iter().for_each(|store| emitter.store_zero(store));
    emitter.close();
}

/// Whether every row of a 4-bit output begins with a byte of its own.
fn rows_start_on_bytes(program: &Program, stage: &Stage, extents: &[usize]) -> bool {
    let Some((&innermost, outer)) = stage.axes.split_last() else { return false };
    let even = |axis: AxisId, extent: usize| {
        // Where steps along an axis differ, the first says nothing of the others.
        let steady = program.is_linear(stage.stores[0].offset, axis);
        extent <= 1 || (steady && program.step(stage.stores[0].offset, axis).is_some_and(|step| step % 2 == 0))
    };
    stage.stores.len() == 1
        && program.evaluate(stage.stores[0].offset, &|_| Some(0)).is_some_and(|first| first % 2 == 0)
        && program.constant_step(stage.stores[0].offset, innermost) == Some(1)
        && outer.iter().zip(extents).all(|(&axis, &extent)| even(axis, extent))
}

/// A work-item for each byte of a row; what shares the last byte with a row of odd length stays as it is.
fn packed_rows_body(emitter: &mut Emitter<'_>, program: &Program, stage: &Stage) {
    let index_type = emitter.index_type();
    let store = &stage.stores[0];
    let Some(&innermost) = stage.axes.last() else { return };
    bind_ids(emitter, program, stage, 1);
    let extent = emitter.scalar(program.axis(innermost).extent);
    let tensor = emitter.tensor_argument(store.tensor);
    let first = emitter.fresh("i");
    emitter.line(format!("const {index_type} {first} = ({index_type})get_global_id(0) * 2;"));
    emitter.bind(innermost, first.clone());
    let offset = emitter.scalar(store.offset);
    emitter.line(format!("uint byte = {first} + 1 < {extent} ? 0 : {tensor}[{offset} >> 1] & 0xf0;"));
    emitter.open("for (int half_byte = 0; half_byte < 2; ++half_byte)");
    let point = emitter.fresh("i");
    emitter.line(format!("const {index_type} {point} = {first} + half_byte;"));
    emitter.line(format!("if ({point} >= {extent}) break;"));
    emitter.bind(innermost, point);
    add_nibble(emitter, stage);
    emitter.close();
    emitter.line(format!("{tensor}[{offset} >> 1] = (uchar)byte;"));
}

/// Puts what is stored at a point into its half of a byte.
fn add_nibble(emitter: &mut Emitter<'_>, stage: &Stage) {
    if let Some(bounds) = stage.bounds {
        let inside = emitter.scalar(bounds);
        emitter.line(format!("if (!({inside})) continue;"));
    }
    let nibble = emitter.nibble(&stage.stores[0]);
    emitter.line(format!("byte |= (uint)({nibble}) << (4 * half_byte);"));
}

/// A 4-bit output must be walked in the order its bytes lie in memory.
fn check_packable(program: &Program, stage: &Stage, extents: &[usize]) -> Result<()> {
    let fits = stage.stores.len() == 1 && {
        let offset = stage.stores[0].offset;
        let at_zero = program.evaluate(offset, &|_| Some(0));
        let mut expected = 1;
        at_zero.is_some_and(|first| first % 2 == 0)
            && stage.axes.iter().zip(extents).rev().all(|(&axis, &extent)| {
                let dense = extent <= 1 || program.step(stage.stores[0].offset, axis) == Some(expected);
                expected *= extent as i64;
                dense
            })
    };
    if fits {
        return Ok(());
    }
    Err(Error::unimplemented("a 4-bit destination must be dense, so that no two work-items share a byte"))
}

fn packed_body(emitter: &mut Emitter<'_>, program: &Program, stage: &Stage) {
    let index_type = emitter.index_type();
    let store = &stage.stores[0];
    let mut total = String::from("1");
    for &axis in &stage.axes {
        total = format!("{total} * {}", emitter.scalar(program.axis(axis).extent));
    }
    emitter.line("uint byte = 0;");
    emitter.open("for (int half_byte = 0; half_byte < 2; ++half_byte)");
    let point = emitter.fresh("i");
    emitter.line(format!("const {index_type} {point} = ({index_type})get_global_id(0) * 2 + half_byte;"));
    emitter.line(format!("if ({point} >= {total}) break;"));
    bind_linear(emitter, program, &stage.axes, point);
    add_nibble(emitter, stage);
    emitter.close();
    let tensor = emitter.tensor_argument(store.tensor);
    let first = match program.evaluate(store.offset, &|_| Some(0)) {
        Some(0) | None => String::new(),
        Some(_) => {
            stage.axes.iter().for_each(|&axis| emitter.bind(axis, "0"));
            format!(" + {} / 2", emitter.scalar(store.offset))
        }
    };
    emitter.line(format!("{tensor}[get_global_id(0){first}] = (uchar)byte;"));
}
