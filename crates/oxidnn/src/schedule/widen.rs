//! Converts a factor of a contraction to f32 once, where the contraction would do it again and again; or to bf16, where pairs of these are
//! multiplied at once.
//!
//! Not so vectors of bf16, whose conversion is a shift, or of f16 where the device converts them as fast as it loads them, nor rows of
//! either whose copy would make the scratchpad larger than the operands: they are converted by parts. The copy keeps the factor's
//! layout, so nothing but the tensor of its loads changes.

use super::contract::{Contraction, Dot, contiguous};
use super::pack::{insert_before, read_elements};
use super::room::has_room;
use super::slices::are_blocks;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Uses of each element from which on a copy pays.
const WORTH_USES: i64 = 32;
/// Rows and columns from which on it pays to make pairs of bf16 of shorter floats.
const WORTH_PAIRS: i64 = 32;

/// Inserts a conversion in front of every contraction that gains by it.
pub(super) fn widen(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        let Some(c) = Contraction::of(program, &stage, profile).filter(|c| c.more.is_empty()) else {
            index += 1;
            continue;
        };
        let mut copies = Vec::new();
        for factor in [c.vector, c.broadcast] {
            if factor == c.vector && loads_halves(program, factor, profile) {
                continue;
            }
            let mut stage = program.stages[index].clone();
            if let Some(copy) = widen_factor(program, &mut stage, &c, factor) {
                program.stages[index] = stage;
                copies.push(copy.stores[0].tensor);
                insert_before(program, index, copy);
                index += 1;
            }
        }
        if !copies.is_empty() {
            let stage = program.stages[index].clone();
            make_room_beyond(program, &stage, &copies, profile);
        }
        index += 1;
    }
}

/// Copies rows of floats of a byte as bf16, which has them all, and such that may be rounded to it, in front of contractions that can be of pairs then; their columns are copied into
/// panels of pairs.
pub(super) fn to_pairs(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        if let Some((copied, stage, copy)) = in_pairs(program, &program.stages[index], profile) {
            *program = copied;
            program.stages[index] = stage;
            insert_before(program, index, copy);
            index += 1;
        }
        index += 1;
    }
}

/// The program with such a copy, the stage that reads it, and the one that makes it.
fn in_pairs(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Program, Stage, Stage)> {
    let c = Contraction::of(program, stage, profile).filter(|c| gains_by_pairs(program, c, profile))?;
    let (mut copied, mut stage) = (program.clone(), stage.clone());
    let copy = copy_as(&mut copied, &mut stage, c.broadcast, DataType::Bf16)?;
    let c = Contraction::of(&copied, &stage, profile).filter(|c| c.dot.is_some())?;
    are_blocks(&copied, &c, c.width(&c.tile(&copied, profile)?)).then_some((copied, stage, copy))
}

/// Whether there is nothing but the type of its rows that keeps a contraction from being of pairs, and room for copies of both factors.
fn gains_by_pairs(program: &Program, c: &Contraction, profile: &DeviceProfile) -> bool {
    let (Node::Load { tensor, offset, .. }, Some(&innermost)) = (program.node(c.broadcast), c.reduced.last()) else {
        return false;
    };
    let Tensor { data_type, may_be_bf16, .. } = *program.tensor(*tensor);
    let is_small = may_be_bf16 || (data_type.bits() == 8 && program.is_bf16(c.broadcast));
    // Columns are brought into pairs where they lie side by side.
    let in_pairs = program.constant_step(*offset, innermost) == Some(1)
        && contiguous(program, c.vector, c.columns, c.lanes)
        && program.extent(innermost).is_some_and(|extent| extent % Dot::Bf16.group() == 0);
    let many = c.row_count(program).min(program.extent(c.columns)).is_some_and(|least| least >= WORTH_PAIRS);
    let elements = read_elements(program, c.broadcast).saturating_add(read_elements(program, c.vector));
    Dot::Bf16.is_there(profile)
        && is_small
        && in_pairs
        && many
        && c.more.is_empty()
        && program.may_be_bf16(c.vector)
        && has_room(program, DataType::Bf16, elements)
}

/// Whether vectors of a factor are halves that the device converts as it loads them.
pub(super) fn loads_halves(program: &Program, factor: E, profile: &DeviceProfile) -> bool {
    let is_half = |tensor: TensorId| match program.tensor(tensor).data_type {
        DataType::F16 => (profile.fp16 || profile.clang_builtins) && !profile.slow_halves,
        DataType::Bf16 => true,
        _ => false,
    };
    matches!(*program.node(factor), Node::Load { tensor, .. } if is_half(tensor))
}

/// The copy of a factor that is one load of a short floating-point type; `stage` reads it from then on.
fn widen_factor(program: &mut Program, stage: &mut Stage, c: &Contraction, factor: E) -> Option<Stage> {
    let Node::Load { tensor, ty: Ty::F32, .. } = *program.node(factor) else { return None };
    let elements = program.tensor(tensor).elements?;
    let data_type = program.tensor(tensor).data_type;
    let is_short = matches!(data_type, DataType::F16 | DataType::Bf16 | DataType::F8E4m3 | DataType::F8E5m2);
    let points = program.points(stage.axes.iter().chain(&c.reduced))?;
    if !is_short || c.dot.is_some() || points / elements.max(1) < WORTH_USES {
        return None;
    }
    // Floats of a byte are halves too, which take half the room. Where there is none, elements are converted again and again.
    let is_small = data_type.bits() == 8;
    let to = if is_small && !has_room(program, DataType::F32, elements) { DataType::Bf16 } else { DataType::F32 };
    if !has_room(program, to, elements) {
        return None;
    }
    copy_as(program, stage, factor, to)
}

/// Makes room behind copies that a stage reads if its last panel of columns reaches beyond them.
fn make_room_beyond(program: &mut Program, stage: &Stage, copies: &[TensorId], profile: &DeviceProfile) -> Option<()> {
    let c = Contraction::of(program, stage, profile)?;
    let width = c.width(&c.tile(program, profile)?);
    if program.extent(c.columns)? % width != 0 {
        for copy in copies {
            if let Binding::Scratch { elements, .. } = &mut program.tensors[copy.index()].binding {
                *elements += width as usize;
            }
        }
    }
    Some(())
}

/// The copy of all that a factor, which is one load, is taken from; `stage` reads it from then on.
fn copy_as(program: &mut Program, stage: &mut Stage, factor: E, to: DataType) -> Option<Stage> {
    let only = program.index(0);
    let (copy, loaded) = copy_elements(program, "widen", factor, to, only, |_, value| [value])?;
    program.replace_in(stage, factor, loaded);
    Some(copy)
}

/// The copy of what `results` makes of all elements that a factor, which is one load, is taken from, those of one kind behind those of
/// another; and the factor as it is read from those with a number.
pub(super) fn copy_elements<const N: usize>(
    program: &mut Program,
    name: &'static str,
    factor: E,
    to: DataType,
    number: E,
    results: impl FnOnce(&mut Program, E) -> [E; N],
) -> Option<(Stage, E)> {
    let Node::Load { tensor, offset, guard, ty: Ty::F32 } = *program.node(factor) else { return None };
    let elements = program.tensor(tensor).elements?;
    let (copy, start) = program.add_scratch("copy", to, N * elements as usize);
    program.tensors[copy.index()].elements = Some(i64::MAX);
    let extent = program.param(elements);
    let axis = program.add_axis("element", extent);
    let at = program.at(axis);
    let value = program.load(tensor, at, Ty::F32);
    let mut target = program.add(start, at);
    let mut stores = Vec::new();
    for value in results(program, value) {
        stores.push(Store { tensor: copy, offset: target, value });
        target = program.add(target, extent);
    }
    let distance = program.mul(number, extent);
    let first = program.add(start, distance);
    let from = program.add(first, offset);
    let loaded = match guard {
        None => program.load(copy, from, Ty::F32),
        Some(guard) => program.load_if(guard, copy, from, Ty::F32),
    };
    Some((Stage { name, axes: vec![axis], bounds: None, stores, repeat: None }, loaded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{Attr, Matmul, MemoryDesc, Op};
    use crate::runtime::{DeviceProfile, DeviceType};
    use crate::schedule::{prepare, schedule};

    #[test]
    fn floats_of_a_byte_become_pairs_where_there_is_room() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile {
            device_type: DeviceType::Cpu,
            vector_bytes: 64,
            clang_builtins: true,
            dot_bf16: true,
            ..host
        };
        for (dst, dot_bf16, pairs) in
            [(DataType::F32, true, true), (DataType::F32, false, false), (DataType::F8E5m2, true, false)]
        {
            let profile = DeviceProfile { dot_bf16, ..profile.clone() };
            let md = |data_type| MemoryDesc::with_strides(&[256, 256], data_type, None).unwrap();
            let op: Op = Matmul::new(&md(DataType::F8E5m2), &md(DataType::F8E4m3), None, &md(dst)).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, program.stages.last().unwrap(), &profile).unwrap().source.text;
            assert_eq!(text.contains("vdpbf16ps"), pairs, "{dst:?}\n{program}");
        }
    }

    #[test]
    fn columns_of_halves_are_converted_once_where_that_takes_the_units_that_multiply() {
        let host = crate::runtime::cpu::Device.profile().clone();
        for slow_halves in [false, true] {
            let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, slow_halves, ..host.clone() };
            let md = MemoryDesc::with_strides(&[256, 256], DataType::F16, None).unwrap();
            let op: Op = Matmul::new(&md, &md, None, &md).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, &profile);
            let text = schedule(&program, program.stages.last().unwrap(), &profile).unwrap().source.text;
            let converts = text.lines().any(|line| line.contains("vload_half16") && !line.contains("lines["));
            assert_eq!(converts, !slow_halves, "{program}\n{text}");
        }
    }

    #[test]
    fn rows_of_halves_are_copied_where_there_is_room_and_converted_by_parts_elsewhere() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let cpu = DeviceProfile { device_type: DeviceType::Cpu, compute_units: 2, vector_bytes: 64, ..host };
        for fp16 in [true, false] {
            let profile = DeviceProfile { fp16, clang_builtins: !fp16, ..cpu.clone() };
            let sizes = [(256, 256, 256, true), (512, 32, 512, false)];
            let cases = sizes.iter().flat_map(|&size| [DataType::F16, DataType::Bf16].map(|of| (of, size)));
            for (data_type, (m, n, k, copied)) in cases {
                let md = |rows, columns| MemoryDesc::with_strides(&[rows, columns], data_type, None).unwrap();
                let op: Op = Matmul::new(&md(m, k), &md(k, n), None, &md(m, n)).unwrap().into();
                let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
                prepare(&mut program, &profile);
                let names: Vec<&str> = program.stages.iter().map(|stage| stage.name).collect();
                assert_eq!(names.contains(&"widen"), copied, "{m}x{n}x{k} {names:?}");
                let last = program.stages.last().unwrap();
                let text = schedule(&program, last, &profile).unwrap().source.text;
                assert_eq!(text.contains("lines["), !copied, "{m}x{n}x{k}\n{text}");
            }
        }
    }
}
