//! Merging neighbouring axes of a domain that every tensor walks as one.
//!
//! A dense `nchw` addition has four axes but is one loop. Two axes merge where every index that mentions one of them
//! moves along the outer one as it would by running through the inner one's whole extent. The test looks at parameter
//! values, so the merged program is another structure than the unmerged one.

use std::collections::HashMap;

use super::*;

impl Program {
    /// Drops domain axes of extent one and merges what can be merged, in all stages.
    pub fn merge_axes(&mut self) {
        for index in 0..self.stages.len() {
            let mut stage = self.stages[index].clone();
            self.drop_unit_axes(&mut stage);
            self.merge_reductions(&mut stage);
            let mut inner = stage.axes.len();
            while inner > 1 {
                inner -= 1;
                if let Some(merged) = self.try_merge(&stage, inner - 1) {
                    stage = merged;
                }
            }
            self.stages[index] = stage;
        }
    }

    fn drop_unit_axes(&mut self, stage: &mut Stage) {
        let zero = self.index(0);
        let units: HashMap<AxisId, E> =
            stage.axes.iter().filter(|&&axis| self.extent(axis) == Some(1)).map(|&axis| (axis, zero)).collect();
        if !units.is_empty() {
            self.replace_axes(stage, &units);
            stage.axes.retain(|axis| !units.contains_key(axis));
        }
    }

    /// Merges the axes at positions `outer` and `outer + 1` if every use of them allows.
    fn try_merge(&mut self, stage: &Stage, outer: usize) -> Option<Stage> {
        let (i, j) = (stage.axes[outer], stage.axes[outer + 1]);
        // A reduction may run over an axis of the domain; it would not run over the merged one.
        let bound = self
            .reductions(self.roots(stage))
            .into_iter()
            .any(|e| matches!(self.node(e), Node::Reduce { axes, .. } if axes.contains(&i) || axes.contains(&j)));
        if bound {
            return None;
        }
        let uses = self.index_uses(self.roots(stage), i, j);
        let (merged, replace) = self.merge_pair(uses, i, j)?;
        let mut stage = stage.clone();
        self.replace_axes(&mut stage, &replace);
        stage.axes.splice(outer..=outer + 1, [merged]);
        Some(stage)
    }

    /// Merges two axes of a stage's domain, the inner one last, in what it stores, if every use of them there allows; gives the axis.
    pub fn merge_in(&mut self, stage: &mut Stage, outer: AxisId, inner: AxisId) -> Option<AxisId> {
        let uses = self.index_uses(self.roots(stage), outer, inner);
        let (merged, replace) = self.merge_pair(uses, outer, inner)?;
        self.replace_axes(stage, &replace);
        Some(merged)
    }

    /// The axis that two axes merge to if every use of them allows, and what to replace them by.
    fn merge_pair(&mut self, uses: Vec<E>, i: AxisId, j: AxisId) -> Option<(AxisId, HashMap<AxisId, E>)> {
        let (extent_i, extent_j) = (self.extent(i)?, self.extent(j)?);
        for e in uses {
            let (coefficient_i, rest) = self.linear(e, i)?;
            let (coefficient_j, rest) = self.linear(rest, j)?;
            let fixed = self.free_axes(coefficient_i).is_empty() && self.free_axes(coefficient_j).is_empty();
            if !fixed || self.depends_on(rest, i) {
                return None;
            }
            if self.value(coefficient_i)? != self.value(coefficient_j)? * extent_j {
                return None;
            }
        }
        let extent = self.param(extent_i * extent_j);
        let merged = self.add_axis(self.axis(j).name, extent);
        let position = self.at(merged);
        let zero = self.index(0);
        Some((merged, HashMap::from([(i, zero), (j, position)])))
    }

    /// Merges neighbouring axes of reductions.
    fn merge_reductions(&mut self, stage: &mut Stage) {
        let candidates = |p: &Program, stage: &Stage| p.reductions(p.roots(stage));
        let mut done = 0;
        while let Some(&e) = candidates(self, stage).get(done) {
            match self.merge_reduction(e) {
                None => done += 1,
                Some(merged) => self.replace_in(stage, e, merged),
            }
        }
    }

    /// A reduction with two of its axes merged.
    fn merge_reduction(&mut self, e: E) -> Option<E> {
        let Node::Reduce { op, axes, body } = self.node(e).clone() else { return None };
        (1..axes.len()).rev().find_map(|inner| {
            let (i, j) = (axes[inner - 1], axes[inner]);
            let depends = |axis: &AxisId| self.free_axes(self.axis(*axis).extent).iter().any(|a| *a == i || *a == j);
            if axes.iter().any(depends) {
                return None;
            }
            let uses = self.index_uses([body], i, j);
            let (merged, replace) = self.merge_pair(uses, i, j)?;
            let body = self.substitute(body, &replace);
            let mut axes = axes.clone();
            axes.splice(inner - 1..=inner, [merged]);
            Some(self.reduce(op, axes, body))
        })
    }

    /// The outermost index expressions among some roots that mention one of two axes.
    fn index_uses(&self, roots: impl IntoIterator<Item = E>, i: AxisId, j: AxisId) -> Vec<E> {
        let mut uses = Vec::new();
        let roots: Vec<E> = roots.into_iter().collect();
        let mut note = |e: E| {
            if self.ty(e) == Ty::Index && (self.depends_on(e, i) || self.depends_on(e, j)) {
                uses.push(e);
            }
        };
        roots.iter().copied().for_each(&mut note);
        self.visit(roots, &mut |e| {
            if self.ty(e) != Ty::Index {
                self.operands(e).into_iter().for_each(&mut note);
            }
        });
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(src_strides: [i64; 2], dst_strides: [i64; 2], extents: [i64; 2]) -> Program {
        let mut p = Program::new();
        let src = p.add_tensor("src", DataType::F32, Binding::Arg { arg: 1, handle: 0 });
        let dst = p.add_tensor("dst", DataType::F32, Binding::Arg { arg: 17, handle: 0 });
        let axes: Vec<AxisId> = extents
            .iter()
            .map(|&extent| {
                let extent = p.param(extent);
                p.add_axis("i", extent)
            })
            .collect();
        let offset = |p: &mut Program, strides: [i64; 2]| {
            let mut sum = p.index(0);
            for (&axis, stride) in axes.iter().zip(strides) {
                let (at, stride) = (p.at(axis), p.param(stride));
                let term = p.mul(at, stride);
                sum = p.add(sum, term);
            }
            sum
        };
        let from = offset(&mut p, src_strides);
        let to = offset(&mut p, dst_strides);
        let value = p.load(src, from, Ty::F32);
        p.stages.push(Stage {
            name: "copy",
            axes,
            bounds: None,
            stores: vec![Store { tensor: dst, offset: to, value }],
            repeat: None,
        });
        p
    }

    #[test]
    fn a_dense_copy_becomes_one_loop() {
        let mut p = copy([5, 1], [5, 1], [3, 5]);
        p.merge_axes();
        assert_eq!(p.stages[0].axes.len(), 1);
        assert_eq!(p.extent(p.stages[0].axes[0]), Some(15));
    }

    #[test]
    fn a_transpose_keeps_its_axes() {
        let mut p = copy([1, 3], [5, 1], [3, 5]);
        p.merge_axes();
        assert_eq!(p.stages[0].axes.len(), 2);
    }

    #[test]
    fn an_axis_of_one_disappears() {
        let mut p = copy([7, 1], [9, 1], [1, 5]);
        p.merge_axes();
        assert_eq!(p.stages[0].axes.len(), 1);
    }
}
