//! Products of halves by tiles, which multiply bf16 alone: each half is the sum of two parts that bf16 has.
//!
//! Both parts have the sign of the number, and neither is zero unless the number is: a number that is one of bf16 itself is cut in
//! equal parts. So products of infinities are infinite, and small integers have sums that are exact.

use std::collections::HashMap;

use super::contract::Contraction;
use super::pack::{Copied, PanelCopy, insert_before};
use super::room::has_room;
use super::widen::copy_elements;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// How many parts a half has.
const PARTS: i64 = 2;
/// Bits of an f32 that bf16 does not have.
const DROPPED: u32 = 0xffff;
/// Rows and columns, steps of the reduction, and products in all from which on copies of the parts pay.
const WORTH_SIDE: i64 = 64;
const WORTH_STEPS: i64 = 64;
const WORTH_PRODUCTS: i64 = 1 << 23;
/// Steps whose parts, of a tile's rows and columns, stay in the innermost cache for all their products; and of which they are a multiple.
const BLOCK: i64 = 128;
const WHOLE_STEPS: i64 = 32;

/// Splits the factors of all contractions that gain by it. The layouts of `open` arguments will be what schedules want.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile, open: &[i32]) {
    // Most programs have none, which is seen at once.
    if !profile.amx_bf16 || !program.tensors.iter().any(|tensor| tensor.data_type == DataType::F16) {
        return;
    }
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((rewritten, copy, stage)) = split_stage(program, &stage, profile, open) {
            *program = rewritten;
            program.stages[index] = stage;
            insert_before(program, index, copy);
            index += 1;
        }
        index += 1;
    }
}

/// The program with parts, the stage that copies those of the rows, and the one that multiplies them.
fn split_stage(
    program: &Program,
    stage: &Stage,
    profile: &DeviceProfile,
    open: &[i32],
) -> Option<(Program, Stage, Stage)> {
    let c = Contraction::with_open(program, stage, profile, open).filter(|_| stage.repeat.is_none())?;
    let Node::Load { tensor: rows, .. } = *program.node(c.broadcast) else { return None };
    let elements = program.tensor(rows).elements?;
    let worth = c.row_count(program)?.min(program.extent(c.columns)?) >= WORTH_SIDE
        && program.points(&c.reduced)? >= WORTH_STEPS
        && program.points(stage.axes.iter().chain(&c.reduced))? >= WORTH_PRODUCTS;
    let usable = c.more.is_empty()
        && program.ty(c.sum) == Ty::F32
        && [c.broadcast, c.vector].into_iter().all(|factor| is_half(program, factor));
    if !worth || !usable || !has_room(program, DataType::Bf16, PARTS * elements) {
        return None;
    }

    let mut p = program.clone();
    let (outer, steps, factors) = in_blocks(&mut p, &c)?;
    let [of_rows, of_columns] = [(), ()].map(|()| part_axis(&mut p));
    let (copy, rows) = match along(&p, factors[0], *steps.last()?) {
        true => {
            let number = p.at(of_rows);
            copy_elements(&mut p, "parts", factors[0], DataType::Bf16, number, parts)?
        }
        false => line_up(&mut p, &c, factors[0], of_rows, &steps)?,
    };
    let part = part_of(&mut p, factors[1], of_columns);
    let columns = p.unary(UnaryOp::Nearly(DataType::Bf16), part);
    let product = p.mul(rows, columns);
    let (innermost, blocks) = steps.split_last()?;
    let reduced = [&outer, blocks, &[of_rows, of_columns, *innermost]].concat();
    let sum = p.reduce(ReduceOp::Sum, reduced, product);
    let mut split = stage.clone();
    p.replace_in(&mut split, c.sum, sum);
    let c = Contraction::with_open(&p, &split, profile, open).filter(|c| c.amx.is_some())?;
    (c.open || Copied::of(&p, &c, profile).is_some()).then_some((p, copy, split))
}

/// Whether a factor is a load of halves.
fn is_half(program: &Program, factor: E) -> bool {
    matches!(*program.node(factor), Node::Load { tensor, .. } if program.tensor(tensor).data_type == DataType::F16)
}

fn part_axis(program: &mut Program) -> AxisId {
    let count = program.param(PARTS);
    program.add_axis("part", count)
}

/// Both parts of a value.
fn parts(program: &mut Program, value: E) -> [E; 2] {
    let [mask, zero, half] = [(Ty::S32, f64::from(!DROPPED as i32)), (Ty::F32, 0.0), (Ty::F32, 0.5)]
        .map(|(ty, value)| program.constant(ty, value));
    let bits = program.unary(UnaryOp::ToBits, value);
    let upper_bits = program.binary(BinaryOp::And, bits, mask);
    let upper = program.unary(UnaryOp::FromBits, upper_bits);
    let lower = program.sub(value, upper);
    let distance = program.unary(UnaryOp::Abs, lower);
    // Nor is the distance between infinities.
    let is_longer = program.lt(zero, distance);
    let equal = program.mul(value, half);
    [upper, lower].map(|part| program.select(is_longer, part, equal))
}

/// The part of a value that an axis stands for.
fn part_of(program: &mut Program, value: E, part: AxisId) -> E {
    let [first, second] = parts(program, value);
    let (at, zero) = (program.at(part), program.index(0));
    let is_first = program.binary(BinaryOp::Eq, at, zero);
    program.select(is_first, first, second)
}

/// Whether a factor lies along an axis.
fn along(program: &Program, factor: E, axis: AxisId) -> bool {
    matches!(*program.node(factor), Node::Load { offset, .. } if program.constant_step(offset, axis) == Some(1))
}

/// The copy of a matrix whose rows lie across the sum, line by line, each block of which has its parts side by side; and a part of the factor as it
/// is read from there.
fn line_up(program: &mut Program, c: &Contraction, factor: E, part: AxisId, steps: &[AxisId]) -> Option<(Stage, E)> {
    let ([rows], [_]) = (&c.row_axes[..], &c.reduced[..]) else { return None };
    let batch: Vec<AxisId> = c.batch.iter().copied().filter(|&axis| program.depends_on(factor, axis)).collect();
    let value = part_of(program, factor, part);
    let (innermost, blocks) = steps.split_last()?;
    let reduced = [blocks, &[part, *innermost]].concat();
    let copy = PanelCopy {
        name: "parts",
        factor: value,
        batch: &batch,
        columns: *rows,
        reduced: &reduced,
        width: 1,
        group: 1,
    };
    copy.build(program, DataType::Bf16)
}

/// The axes of a reduction but for the innermost one; that one, in blocks if it is long, so that what one reads serves the products of all
/// parts; and the factors, rows first.
fn in_blocks(program: &mut Program, c: &Contraction) -> Option<(Vec<AxisId>, Vec<AxisId>, [E; 2])> {
    let (&innermost, outer) = c.reduced.split_last()?;
    let (extent, factors) = (program.extent(innermost)?, [c.broadcast, c.vector]);
    let block = (WHOLE_STEPS..=BLOCK).rev().find(|size| size % WHOLE_STEPS == 0 && extent % size == 0);
    // Finding the rows of a window takes longer than reading them again.
    let Some(block) = block.filter(|&block| block < extent && outer.is_empty()) else {
        return Some((outer.to_vec(), vec![innermost], factors));
    };
    let name = program.axis(innermost).name;
    let (size, count) = (program.param(block), program.param(extent / block));
    let (blocks, steps) = (program.add_axis(name, count), program.add_axis(name, size));
    let (number, step) = (program.at(blocks), program.at(steps));
    let first = program.mul(number, size);
    let at = HashMap::from([(innermost, program.add(first, step))]);
    Some((outer.to_vec(), vec![blocks, steps], factors.map(|factor| program.substitute(factor, &at))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{Attr, Matmul, MemoryDesc, Op};
    use crate::runtime::DeviceType;
    use crate::schedule::{prepare, schedule};

    #[test]
    fn products_of_halves_are_split_where_tiles_gain_more_than_copies_cost() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let tiles = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, amx_bf16: true, ..host };
        let vectors = DeviceProfile { amx_bf16: false, dot_bf16: true, ..tiles.clone() };
        for (profile, [m, n, k], turned, split) in [
            (&tiles, [256, 256, 256], false, true),
            (&tiles, [256, 256, 256], true, true),
            (&tiles, [1024, 1024, 1024], false, true),
            (&tiles, [256, 500, 288], false, true),
            (&tiles, [32, 1024, 1024], false, false),
            (&tiles, [128, 128, 128], false, false),
            (&vectors, [256, 256, 256], false, false),
        ] {
            let md = |rows, columns| MemoryDesc::with_strides(&[rows, columns], DataType::F16, None).unwrap();
            let lines = [1, m];
            let src = MemoryDesc::with_strides(&[m, k], DataType::F16, turned.then_some(&lines[..])).unwrap();
            let op: Op = Matmul::new(&src, &md(k, n), None, &md(m, n)).unwrap().into();
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            prepare(&mut program, profile);
            let text = schedule(&program, program.stages.last().unwrap(), profile).unwrap().source.text;
            assert_eq!(text.contains("tdpbf16ps"), split, "{m}x{n}x{k} {turned}\n{program}");
            assert!(has_room(&program, DataType::F32, 0), "{m}x{n}x{k} {turned}");
        }
    }
}
