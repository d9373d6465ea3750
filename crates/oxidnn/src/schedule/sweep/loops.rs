//! What one work-item does of a stage's loops.

use super::{STRIP, WORTH, WORTH_IN_ROWS};
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;

/// The loops inside of a work-item, and how many of these there are.
pub(super) struct Loops {
    pub looped: usize,
    pub chunk: i64,
    pub chunks: i64,
    pub global: i64,
}

impl Loops {
    /// Leaves the innermost axes to one work-item.
    pub fn keep_whole(&mut self, program: &Program, order: &[AxisId], count: usize) {
        let (outer, inner) = order.split_at(order.len() - count);
        if self.looped >= outer.len() {
            self.looped = outer.len();
            self.chunk = inner.first().and_then(|&axis| program.extent(axis)).unwrap_or(1);
            self.chunks = 1;
            self.global = program.points(outer).unwrap_or(1);
        }
    }

    pub fn of(
        program: &Program,
        order: &[AxisId],
        fixed: usize,
        reductions: &[E],
        lanes: Option<(AxisId, i64)>,
        profile: &DeviceProfile,
    ) -> Loops {
        let extent = |axis: AxisId| program.extent(axis).unwrap_or(1).max(1);
        let reduced = reductions.iter().map(|&e| match program.node(e) {
            Node::Reduce { axes, .. } => axes.iter().map(|&axis| extent(axis)).product(),
            _ => 1,
        });
        let each: i64 =
            order[fixed..].iter().map(|&axis| extent(axis)).product::<i64>().max(reduced.max().unwrap_or(1));
        let all = order[..fixed].iter().fold(each, |points, &axis| points.saturating_mul(extent(axis)));
        // Enough to be worth a work-item, but some work for everybody.
        let worth = if reductions.is_empty() { WORTH } else { WORTH_IN_ROWS };
        let worth = worth.min(all / (4 * profile.compute_units as i64)).max(1);
        let mut looped = fixed;
        let mut inside = each;
        // Lanes are in the loops of a work-item, however long the reductions of each are.
        let has_lanes = |axis: AxisId| lanes.is_some_and(|(of, lanes)| of == axis && lanes > 1);
        while looped > 0 && (inside < worth || order[looped..].is_empty() && has_lanes(order[looped - 1])) {
            looped -= 1;
            inside = inside.saturating_mul(extent(order[looped]));
        }
        if looped == fixed {
            let global = order[..fixed].iter().map(|&axis| extent(axis)).product();
            return Loops { looped, chunk: 1, chunks: 1, global };
        }
        let length = extent(order[looped]);
        let point = (inside / length).max(1);
        let mut chunk = (ceil(worth, point)).clamp(1, length);
        // Whole cache lines where the innermost axis is cut.
        if looped + 1 == order.len() {
            chunk = ceil(chunk, 64) * 64;
        } else if let Some((_, lanes)) = lanes.filter(|(axis, _)| *axis == order[looped]) {
            // As many vectors as fill strips, nearly.
            let vectors = ceil(chunk, lanes);
            chunk = lanes * if vectors < STRIP { 1 << (4 * vectors / 3).ilog2() } else { vectors };
        }
        let chunks = ceil(length, chunk);
        let outer: i64 = order[..looped].iter().map(|&axis| extent(axis)).product();
        Loops { looped, chunk, chunks, global: outer * chunks }
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::text;

    #[test]
    fn lanes_are_in_a_work_item_however_long_its_sums_are() {
        let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
        for rows in [64, 1 << 12] {
            let op = Reduction::new(AlgKind::ReductionSum, &md(&[2, rows, 64]), &md(&[2, 1, 64]), 0.0, 0.0).unwrap();
            let text = text(op);
            assert!(text.contains("vload16"), "{rows}\n{text}");
        }
    }
}
