//! Products whose columns are copied in a longer type than they have, slice by slice: as many columns at a time as there is room
//! for a copy of.
//!
//! Each slice is a run of a repeat, which the copy becomes part of as soon as it is made: it is overwritten by the next one's.

use std::collections::HashMap;

use super::contract::Contraction;
use super::pack::Copied;
use super::room::has_room;
use super::{ceil, read};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Slices, at most: each takes two kernels.
const MOST_SLICES: i64 = 16;

/// Cuts the contractions that need it.
pub(super) fn cut(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((slices, rest)) = cut_stage(program, &stage, profile) {
            program.stages.splice(index..=index, std::iter::once(slices).chain(rest));
            index += 1;
        }
        index += 1;
    }
}

/// The stage that computes slices, all of one size, and the one for the columns that are left.
fn cut_stage(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Option<Stage>)> {
    let c = Contraction::of(program, stage, profile)?;
    if stage.repeat.is_some() {
        return None;
    }
    let tensors = read(program, c.vector).into_iter().map(|tensor| program.tensor(tensor));
    let bits = tensors.max_by_key(|tensor| tensor.elements)?.data_type.bits();
    // No copy is of longer elements than these.
    if bits >= DataType::F32.bits() {
        return None;
    }
    let Copied { width, batch, reduced, data_type } = Copied::of(program, &c, profile)?;
    // What is as long may still be several parts of a number.
    if data_type.bits() <= bits && matches!(program.node(c.vector), Node::Load { .. }) {
        return None;
    }
    let columns = program.extent(c.columns)?;
    let panel = program.points(reduced.iter().chain(&batch))?.checked_mul(width)?;
    let panels = columns / width;
    let fits = |panels: i64| panel.checked_mul(panels).is_some_and(|all| has_room(program, data_type, all));
    if fits(ceil(columns, width)) || !are_blocks(program, &c, width) {
        return None;
    }
    // What no slice is left for gets a copy of its own.
    let left = |each: i64| columns - panels / each * each * width;
    let least = (panels / MOST_SLICES).max(1);
    let each = (least..=panels).rev().find(|&each| fits(each + ceil(left(each), width)))?;

    let (runs, left) = (panels / each, left(each));
    let repeat = program.add_repeat(runs);
    let number = program.step_param(repeat, 0, 1);
    let count = program.param(each);
    let first = program.mul(number, count);
    let slices = Stage { repeat: Some(repeat), ..of_columns(program, stage, &c, first, [each * width, width]) };
    let rest = (left > 0).then(|| {
        let first = program.param(runs * each);
        of_columns(program, stage, &c, first, [left, width])
    });
    Some((slices, rest))
}

/// The stage for so many columns, from a panel of some width on.
fn of_columns(program: &mut Program, stage: &Stage, c: &Contraction, panel: E, [count, width]: [i64; 2]) -> Stage {
    let count = program.param(count);
    let within = program.add_axis(program.axis(c.columns).name, count);
    // Multiples of a number, so that blocks of it are seen as such.
    let (at, width) = (program.at(within), program.index(width));
    let first = program.mul(panel, width);
    let position = program.add(first, at);
    let mut part = stage.clone();
    program.replace_axes(&mut part, &HashMap::from([(c.columns, position)]));
    part.axes.iter_mut().filter(|axis| **axis == c.columns).for_each(|axis| *axis = within);
    part
}

/// Whether panels are blocks, if columns lie in such.
pub(super) fn are_blocks(program: &Program, c: &Contraction, width: i64) -> bool {
    let mut all = true;
    program.visit([c.vector], &mut |e| {
        if let Node::Binary(BinaryOp::Div | BinaryOp::Rem, a, by) = *program.node(e)
            && program.depends_on(a, c.columns)
        {
            all &= matches!(*program.node(by), Node::Index(size) if size == width);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{Attr, Matmul, MemoryDesc, Op};
    use crate::runtime::DeviceType;
    use crate::schedule::prepare;

    #[test]
    fn copies_of_short_columns_take_less_memory_than_the_operands() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile =
            DeviceProfile { device_type: DeviceType::Cpu, compute_units: 2, vector_bytes: 64, dot_bf16: true, ..host };
        let without = DeviceProfile { dot_bf16: false, ..profile.clone() };
        for (profile, rows, data_type, runs) in [
            (&profile, 32, DataType::S4, Some(4)),
            (&profile, 32, DataType::S8, Some(2)),
            (&profile, 1024, DataType::S8, None),
            (&without, 32, DataType::S8, Some(4)),
        ] {
            let md = |m, n, of| MemoryDesc::with_strides(&[m, n], of, None).unwrap();
            let (src, dst) = (md(rows, 1024, DataType::Bf16), md(rows, 1024, DataType::Bf16));
            let op: Op = Matmul::new(&src, &md(1024, 1024, data_type), None, &dst).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, profile);
            let (copy, product) = match &program.stages[..] {
                [copy, product] => (copy, product),
                // Rows have a copy, too, where there is room for it.
                [widen, copy, product] if widen.name == "widen" => (copy, product),
                _ => panic!("{program}"),
            };
            assert_eq!((copy.name, product.repeat), ("pack", copy.repeat), "{program}");
            let repeats = product.repeat.map(|repeat| program.repeats[repeat.index()]);
            assert_eq!(repeats, runs, "{rows} {data_type}");
            assert!(has_room(&program, DataType::F32, 0), "{rows} {data_type}");
        }
    }
}
