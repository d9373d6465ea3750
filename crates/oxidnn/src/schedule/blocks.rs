//! Splits axes that are walked in blocks, so that an index that was divided becomes a sum of products.
//!
//! The offset of a channel `c` of a blocked tensor is `c / 16 * stride + c % 16`. With `c` as `outer * 16 + inner` it is
//! `outer * stride + inner`: contiguous along an axis. So it is with groups of channels. Where blocks do not fill the axis it stays
//! as it is.

use std::collections::HashMap;

use super::contract::Contraction;
use super::sweep;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The smallest blocks that are worth an axis.
const SMALLEST: i64 = 4;

/// Splits the axes of all stages that are not contractions.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let stage = &program.stages[index];
        if !sweep::takes(program, stage, profile) || Contraction::of(program, stage, profile).is_some() {
            continue;
        }
        let mut stage = program.stages[index].clone();
        while let Some((axis, block)) = find(program, &stage) {
            stage = split_axis(program, &stage, axis, block);
        }
        program.stages[index] = stage;
    }
}

/// An axis that is divided by something that divides its extent. The largest divisor comes first.
fn find(program: &Program, stage: &Stage) -> Option<(AxisId, E)> {
    let mut best: Option<(AxisId, E, i64)> = None;
    program.visit(program.roots(stage), &mut |e| {
        if let Node::Binary(BinaryOp::Div | BinaryOp::Rem, a, block) = *program.node(e)
            && let Node::Axis(axis) = *program.node(a)
            && program.ty(e) == Ty::Index
            && let (Some(extent), Some(size)) = (program.extent(axis), program.value(block))
            && size >= SMALLEST
            && extent >= size
            && extent % size == 0
            && best.is_none_or(|(_, _, most)| size > most)
        {
            best = Some((axis, block, size));
        }
    });
    best.map(|(axis, block, _)| (axis, block))
}

/// The stage with one axis split in blocks.
fn split_axis(program: &mut Program, stage: &Stage, axis: AxisId, block: E) -> Stage {
    let name = program.axis(axis).name;
    let (extent, size) = (program.extent(axis).unwrap_or(0), program.value(block).unwrap_or(1));
    let count = program.param(extent / size);
    let (outer, inner) = (program.add_axis(name, count), program.add_axis(name, block));
    let (outer_at, inner_at) = (program.at(outer), program.at(inner));
    let first = program.mul(outer_at, block);
    let position = program.add(first, inner_at);
    let replace = HashMap::from([(axis, position)]);
    let mut stage = stage.clone();
    // Reductions over the axis first: below them it is another one.
    let runs_over =
        |program: &Program, e: E| matches!(program.node(e), Node::Reduce { axes, .. } if axes.contains(&axis));
    while let Some(e) = program.reductions(program.roots(&stage)).into_iter().find(|&e| runs_over(program, e)) {
        let Node::Reduce { op, mut axes, body } = program.node(e).clone() else { break };
        let body = program.substitute(body, &replace);
        let at = axes.iter().position(|&other| other == axis).unwrap_or(0);
        axes.splice(at..=at, [outer, inner]);
        let split = program.reduce(op, axes, body);
        program.replace_in(&mut stage, e, split);
    }
    if let Some(at) = stage.axes.iter().position(|&other| other == axis) {
        stage.axes.splice(at..=at, [outer, inner]);
        program.replace_axes(&mut stage, &replace);
    }
    stage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;
    use crate::runtime::DeviceType;

    #[test]
    fn nothing_is_divided_where_blocks_fill_the_channels() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, ..host };
        for channels in [16, 64] {
            let tag = FormatTag::from_name("aBcd16b").unwrap();
            let md = MemoryDesc::with_tag(&[4, channels, 24, 17], DataType::F32, tag).unwrap();
            let (sharing, prop, flags) = (Sharing::Batch, PropKind::Backward, NormFlags::USE_SCALE);
            let op = Normalization::backward(sharing, prop, &md, &md, &md, None, None, 1e-3, flags).unwrap();
            let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
            split(&mut program, &profile);
            let mut divided = 0;
            let roots: Vec<E> = program.stages.iter().flat_map(|stage| program.roots(stage)).collect();
            program.visit(roots, &mut |e| {
                let divides = matches!(program.node(e), Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..));
                divided += usize::from(divides && program.ty(e) == Ty::Index);
            });
            assert_eq!(divided, 0, "{channels} channels\n{program}");
        }
    }
}
