//! Questions about nodes: what they depend on, how they move along an axis, what they are worth.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::*;

/// Vectors along an axis that are looked at one by one.
const MOST_LOOKED_AT: i64 = 64;

impl Program {
    /// The nodes a node is made of.
    pub fn operands(&self, e: E) -> Vec<E> {
        match self.node(e) {
            Node::Bool(_)
            | Node::Index(_)
            | Node::S32(_)
            | Node::F32(_)
            | Node::F64(_)
            | Node::Axis(_)
            | Node::Param(_)
            | Node::Scalar(_) => Vec::new(),
            Node::Load { offset, guard, .. } => std::iter::once(*offset).chain(*guard).collect(),
            Node::Unary(_, x) | Node::Convert(_, x) => vec![*x],
            Node::Binary(_, a, b) => vec![*a, *b],
            Node::Select(c, a, b) => vec![*c, *a, *b],
            Node::Reduce { axes, body, .. } => axes.iter().map(|&axis| self.axis(axis).extent).chain([*body]).collect(),
            Node::Philox { counter, key, lane } => counter.iter().chain(key).chain([lane]).copied().collect(),
        }
    }

    /// Calls `visit` once for every node reachable from `roots`, operands before users.
    pub fn visit(&self, roots: impl IntoIterator<Item = E>, visit: &mut impl FnMut(E)) {
        fn walk(p: &Program, e: E, seen: &mut BTreeSet<E>, visit: &mut impl FnMut(E)) {
            if seen.insert(e) {
                for operand in p.operands(e) {
                    walk(p, operand, seen, visit);
                }
                visit(e);
            }
        }
        let mut seen = BTreeSet::new();
        for root in roots {
            walk(self, root, &mut seen, visit);
        }
    }

    /// The axes whose position a node's value depends on; those a reduction runs over are not among them.
    pub fn free_axes(&self, e: E) -> &BTreeSet<AxisId> {
        &self.free[e.0 as usize]
    }

    /// The free axes of a node from those of its operands.
    pub(super) fn find_free_axes(&self, e: E) -> Arc<BTreeSet<AxisId>> {
        let operands = self.operands(e);
        let widest = operands.iter().map(|x| &self.free[x.0 as usize]).max_by_key(|free| free.len());
        let mut all = widest.cloned().unwrap_or_default();
        for operand in operands {
            let free = &self.free[operand.0 as usize];
            if !free.is_subset(&all) {
                Arc::make_mut(&mut all).extend(free.iter());
            }
        }
        match self.node(e) {
            Node::Axis(axis) => {
                Arc::make_mut(&mut all).insert(*axis);
            }
            Node::Reduce { axes, .. } if axes.iter().any(|axis| all.contains(axis)) => {
                Arc::make_mut(&mut all).retain(|axis| !axes.contains(axis));
            }
            _ => {}
        }
        all
    }

    /// Whether a node's value depends on the position along an axis.
    pub fn depends_on(&self, e: E, axis: AxisId) -> bool {
        self.free_axes(e).contains(&axis)
    }

    /// Writes an index as `coefficient * axis + rest`, neither of which depends on the axis.
    pub fn linear(&mut self, e: E, axis: AxisId) -> Option<(E, E)> {
        let zero = self.index(0);
        if !self.depends_on(e, axis) {
            return Some((zero, e));
        }
        match *self.node(e) {
            Node::Axis(_) => Some((self.index(1), zero)),
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (ca, ra) = self.linear(a, axis)?;
                let (cb, rb) = self.linear(b, axis)?;
                Some((self.binary(op, ca, cb), self.binary(op, ra, rb)))
            }
            Node::Binary(BinaryOp::Mul, a, b) => {
                let (varying, factor) = if self.depends_on(b, axis) { (b, a) } else { (a, b) };
                if self.depends_on(factor, axis) {
                    return None;
                }
                let (c, r) = self.linear(varying, axis)?;
                Some((self.mul(c, factor), self.mul(r, factor)))
            }
            _ => None,
        }
    }

    /// Whether [`linear`](Program::linear) would succeed.
    pub fn is_linear(&self, e: E, axis: AxisId) -> bool {
        match *self.node(e) {
            _ if !self.depends_on(e, axis) => true,
            Node::Axis(_) => true,
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.is_linear(a, axis) && self.is_linear(b, axis),
            Node::Binary(BinaryOp::Mul, a, b) => {
                !(self.depends_on(a, axis) && self.depends_on(b, axis))
                    && self.is_linear(a, axis)
                    && self.is_linear(b, axis)
            }
            _ => false,
        }
    }

    /// By how much an index has grown at each of `lanes` positions of an axis, from a multiple of their number on, where the structure alone
    /// says so.
    pub fn lane_steps(&self, e: E, axis: AxisId, lanes: usize) -> Option<Vec<i64>> {
        let constant = |e: E| match *self.node(e) {
            Node::Index(value) => Some(value),
            _ => None,
        };
        let steps = |e: E| self.lane_steps(e, axis, lanes);
        match *self.node(e) {
            _ if !self.depends_on(e, axis) => Some(vec![0; lanes]),
            Node::Axis(_) => Some((0..lanes as i64).collect()),
            Node::Binary(BinaryOp::Add, a, b) => Some(steps(a)?.iter().zip(steps(b)?).map(|(a, b)| a + b).collect()),
            Node::Binary(BinaryOp::Sub, a, b) => Some(steps(a)?.iter().zip(steps(b)?).map(|(a, b)| a - b).collect()),
            Node::Binary(BinaryOp::Mul, x, by) => {
                let (x, by) = constant(by).map(|by| (x, by)).or_else(|| Some((by, constant(x)?)))?;
                Some(steps(x)?.iter().map(|step| step * by).collect())
            }
            Node::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), x, by) => {
                let by = constant(by).filter(|&by| by > 0)?;
                let first = self.first_remainder(x, axis, lanes, by)?;
                let divided = |step: &i64| match op {
                    BinaryOp::Div => (first + step).div_euclid(by),
                    _ => (first + step).rem_euclid(by) - first,
                };
                Some(steps(x)?.iter().map(divided).collect())
            }
            _ => None,
        }
    }

    /// What an index leaves when it is divided where the position along an axis is a multiple of `lanes`.
    pub fn first_remainder(&self, e: E, axis: AxisId, lanes: usize, by: i64) -> Option<i64> {
        match *self.node(e) {
            Node::Index(value) => Some(value.rem_euclid(by)),
            Node::Axis(of) if of == axis && lanes as i64 % by == 0 => Some(0),
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) => {
                let (a, b) = (self.first_remainder(a, axis, lanes, by)?, self.first_remainder(b, axis, lanes, by)?);
                Some(if op == BinaryOp::Add { (a + b) % by } else { a * b % by })
            }
            _ => None,
        }
    }

    /// How far before the first lane others reach, where an index that is not linear stays within as many elements as there are lanes from
    /// most positions of an axis on where vectors of them begin.
    pub fn reach_back(&self, e: E, axis: AxisId, lanes: usize) -> Option<i64> {
        let n = lanes as i64;
        let at = |position: i64| self.evaluate(e, &|of| Some(if of == axis { position } else { 0 }));
        let spans = |start: i64| {
            let steps = (0..n).map(|lane| Some(at(start + lane)? - at(start)?)).collect::<Option<Vec<i64>>>()?;
            Some((-steps.iter().min()?, *steps.iter().max()?))
        };
        let vectors = self.extent(axis)? / n;
        let looked_at = (0..vectors).step_by((vectors / MOST_LOOKED_AT).max(1) as usize);
        let spans = looked_at.map(|vector| spans(vector * n)).collect::<Option<Vec<(i64, i64)>>>()?;
        let back = spans.iter().map(|&(back, _)| back).filter(|&back| back < n).max()?;
        let close = spans.iter().filter(|&&(before, after)| before <= back && back + after < n).count();
        (2 * close > spans.len()).then_some(back)
    }

    /// The least and the greatest that an index can be.
    pub fn limits(&self, e: E) -> Option<(i64, i64)> {
        let Node::Binary(op, a, b) = *self.node(e) else {
            return match *self.node(e) {
                Node::Axis(axis) => Some((0, (self.extent(axis)? - 1).max(0))),
                _ => self.value(e).map(|value| (value, value)),
            };
        };
        let (a, b) = (self.limits(a)?, self.limits(b)?);
        let products = || [a.0.checked_mul(b.0), a.0.checked_mul(b.1), a.1.checked_mul(b.0), a.1.checked_mul(b.1)];
        Some(match op {
            BinaryOp::Add => (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
            BinaryOp::Sub => (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?),
            BinaryOp::Mul => {
                let products = products().into_iter().collect::<Option<Vec<i64>>>()?;
                (*products.iter().min()?, *products.iter().max()?)
            }
            BinaryOp::Div if a.0 >= 0 && b.0 > 0 => (a.0 / b.1, a.1 / b.0),
            BinaryOp::Rem if a.0 >= 0 && b.0 > 0 => (0, a.1.min(b.1 - 1)),
            BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
            BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
            _ => return None,
        })
    }

    /// By how much an index grows with each step along an axis, where the structure alone says so.
    pub fn constant_step(&self, e: E, axis: AxisId) -> Option<i64> {
        match *self.node(e) {
            Node::Axis(a) => Some(i64::from(a == axis)),
            Node::Binary(BinaryOp::Add, a, b) => Some(self.constant_step(a, axis)? + self.constant_step(b, axis)?),
            Node::Binary(BinaryOp::Sub, a, b) => Some(self.constant_step(a, axis)? - self.constant_step(b, axis)?),
            Node::Binary(BinaryOp::Mul, a, b) => match (self.node(a), self.node(b)) {
                (_, Node::Index(c)) => Some(self.constant_step(a, axis)? * c),
                (Node::Index(c), _) => Some(self.constant_step(b, axis)? * c),
                _ if !self.depends_on(e, axis) => Some(0),
                _ => None,
            },
            _ if !self.depends_on(e, axis) => Some(0),
            _ => None,
        }
    }

    /// Whether an index is even wherever the position along `axis` is.
    pub fn is_even(&self, e: E, axis: AxisId) -> bool {
        match *self.node(e) {
            Node::Index(value) => value % 2 == 0,
            Node::Axis(a) => a == axis,
            Node::Param(param) => matches!(self.params[param.index()], Source::Known(value) if value % 2 == 0),
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.is_even(a, axis) && self.is_even(b, axis),
            Node::Binary(BinaryOp::Mul, a, b) => self.is_even(a, axis) || self.is_even(b, axis),
            _ => false,
        }
    }

    /// The value of an index that depends on no axis and no host scalar. What changes from one run of a repeat to the next
    /// has its largest value.
    pub fn value(&self, e: E) -> Option<i64> {
        self.evaluate(e, &|_| None)
    }

    /// The value of an index at a point. What changes from one run of a repeat to the next has its largest value.
    pub fn evaluate(&self, e: E, at: &impl Fn(AxisId) -> Option<i64>) -> Option<i64> {
        self.evaluate_with(e, at, &|first, last| first.max(last))
    }

    /// The value of an index at a point, in the first or the last run of a repeat.
    pub fn evaluate_in(&self, e: E, at: &impl Fn(AxisId) -> Option<i64>, last_run: bool) -> Option<i64> {
        self.evaluate_with(e, at, &|first, last| if last_run { last } else { first })
    }

    fn evaluate_with(&self, e: E, at: &impl Fn(AxisId) -> Option<i64>, run: &impl Fn(i64, i64) -> i64) -> Option<i64> {
        Some(match self.node(e) {
            Node::Index(value) => *value,
            Node::Axis(axis) => at(*axis)?,
            Node::Param(param) => match self.params[param.index()] {
                Source::Known(value) => value,
                Source::Step { first, by, count } => run(first, first + by * (count - 1)),
                Source::HostScalar { .. } => return None,
            },
            Node::Binary(op, a, b) => {
                let (a, b) = (self.evaluate_with(*a, at, run)?, self.evaluate_with(*b, at, run)?);
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a * b,
                    BinaryOp::Div => a.checked_div(b)?,
                    BinaryOp::Rem => a.checked_rem(b)?,
                    BinaryOp::Min => a.min(b),
                    BinaryOp::Max => a.max(b),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// The extent of an axis.
    pub fn extent(&self, axis: AxisId) -> Option<i64> {
        self.value(self.axis(axis).extent)
    }

    /// How many points some axes have together.
    pub fn points<'a>(&self, axes: impl IntoIterator<Item = &'a AxisId>) -> Option<i64> {
        axes.into_iter().try_fold(1i64, |points, &axis| points.checked_mul(self.extent(axis)?))
    }

    /// By how much an index grows with the first step along an axis, by the values of the parameters.
    pub fn step(&self, e: E, axis: AxisId) -> Option<i64> {
        let at = |position: i64| self.evaluate(e, &|other| Some(if other == axis { position } else { 0 }));
        at(1).zip(at(0)).map(|(one, zero)| one - zero)
    }

    /// All nodes of some expressions that are not inside of reductions; the reductions themselves are among them.
    pub fn outside_of_reductions(&self, roots: impl IntoIterator<Item = E>) -> BTreeSet<E> {
        let mut left: Vec<E> = roots.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(e) = left.pop() {
            if found.insert(e) && !matches!(self.node(e), Node::Reduce { .. }) {
                left.extend(self.operands(e));
            }
        }
        found
    }

    /// Whether a comparison of indices holds at a point, as far as that is known.
    pub fn holds(&self, condition: E, at: &impl Fn(AxisId) -> Option<i64>) -> Option<bool> {
        let Node::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = *self.node(condition) else { return None };
        let (a, b) = (self.evaluate(a, at)?, self.evaluate(b, at)?);
        Some(if op == BinaryOp::Lt { a < b } else { a <= b })
    }

    /// The conditions that a condition is the conjunction of.
    pub fn conjuncts(&self, condition: E) -> Vec<E> {
        match *self.node(condition) {
            Node::Binary(BinaryOp::And, a, b) => [self.conjuncts(a), self.conjuncts(b)].concat(),
            _ => vec![condition],
        }
    }

    /// The reductions in some expressions, those inside others first.
    pub fn reductions(&self, roots: impl IntoIterator<Item = E>) -> Vec<E> {
        let mut found = Vec::new();
        self.visit(roots, &mut |e| {
            if matches!(self.node(e), Node::Reduce { .. }) {
                found.push(e);
            }
        });
        found
    }

    /// All nodes that a stage evaluates at the top: stores' offsets and values, bounds.
    pub fn roots(&self, stage: &Stage) -> Vec<E> {
        stage.stores.iter().flat_map(|s| [s.offset, s.value]).chain(stage.bounds).collect()
    }

    /// Whether a stage would do the same each time a repeat runs: it reads nothing that the repeat's stages write, and
    /// has no argument that changes.
    pub fn is_invariant(&self, stage: &Stage, repeat: RepeatId) -> bool {
        let written: BTreeSet<TensorId> = self
            .stages
            .iter()
            .filter(|other| other.repeat == Some(repeat))
            .flat_map(|other| other.stores.iter().map(|store| store.tensor))
            .collect();
        let mut same = true;
        self.visit(self.roots(stage), &mut |e| match self.node(e) {
            Node::Load { tensor, .. } => same &= !written.contains(tensor),
            Node::Param(param) => same &= !matches!(self.params[param.index()], Source::Step { .. }),
            _ => {}
        });
        same
    }

    /// The tensors a stage touches, in order of their ids, and whether it writes each.
    pub fn stage_tensors(&self, stage: &Stage) -> Vec<(TensorId, bool)> {
        let mut touched: std::collections::BTreeMap<TensorId, bool> = Default::default();
        self.visit(self.roots(stage), &mut |e| {
            if let Node::Load { tensor, .. } = self.node(e) {
                touched.entry(*tensor).or_insert(false);
            }
        });
        for store in &stage.stores {
            touched.insert(store.tensor, true);
        }
        touched.into_iter().collect()
    }

    /// Rebuilds a node with axes replaced.
    pub fn substitute(&mut self, e: E, replace: &HashMap<AxisId, E>) -> E {
        self.substitute_memo(e, replace, &mut HashMap::new())
    }

    /// Rebuilds a node with another one replaced.
    pub fn replace(&mut self, e: E, from: E, to: E) -> E {
        self.substitute_memo(e, &HashMap::new(), &mut HashMap::from([(from, to)]))
    }

    /// Replaces a node by another one in the values of a stage.
    pub fn replace_in(&mut self, stage: &mut Stage, from: E, to: E) {
        for store in &mut stage.stores {
            store.value = self.replace(store.value, from, to);
        }
    }

    /// Replaces axes in all of a stage.
    pub fn replace_axes(&mut self, stage: &mut Stage, replace: &HashMap<AxisId, E>) {
        for store in &mut stage.stores {
            store.offset = self.substitute(store.offset, replace);
            store.value = self.substitute(store.value, replace);
        }
        stage.bounds = stage.bounds.map(|bounds| self.substitute(bounds, replace));
    }

    fn substitute_memo(&mut self, e: E, replace: &HashMap<AxisId, E>, memo: &mut HashMap<E, E>) -> E {
        if let Some(&done) = memo.get(&e) {
            return done;
        }
        let result = match self.node(e).clone() {
            Node::Axis(axis) => replace.get(&axis).copied().unwrap_or(e),
            Node::Load { tensor, offset, guard, ty } => {
                let offset = self.substitute_memo(offset, replace, memo);
                match guard {
                    None => self.load(tensor, offset, ty),
                    Some(guard) => {
                        let guard = self.substitute_memo(guard, replace, memo);
                        self.load_if(guard, tensor, offset, ty)
                    }
                }
            }
            Node::Unary(op, x) => {
                let x = self.substitute_memo(x, replace, memo);
                self.unary(op, x)
            }
            Node::Convert(ty, x) => {
                let x = self.substitute_memo(x, replace, memo);
                self.convert(ty, x)
            }
            Node::Binary(op, a, b) => {
                let a = self.substitute_memo(a, replace, memo);
                let b = self.substitute_memo(b, replace, memo);
                self.binary(op, a, b)
            }
            Node::Select(c, a, b) => {
                let c = self.substitute_memo(c, replace, memo);
                let a = self.substitute_memo(a, replace, memo);
                let b = self.substitute_memo(b, replace, memo);
                self.select(c, a, b)
            }
            Node::Reduce { op, axes, body } => {
                let body = self.substitute_memo(body, replace, memo);
                self.reduce(op, axes, body)
            }
            Node::Philox { counter, key, lane } => {
                let counter = counter.map(|word| self.substitute_memo(word, replace, memo));
                let key = key.map(|word| self.substitute_memo(word, replace, memo));
                let lane = self.substitute_memo(lane, replace, memo);
                self.philox(counter, key, lane)
            }
            _ => e,
        };
        memo.insert(e, result);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_move_as_an_index_does_from_any_multiple_of_their_number_on() {
        let mut p = Program::new();
        let extent = p.param(64);
        let axis = p.add_axis("i", extent);
        let (at, stride, unknown) = (p.at(axis), p.index(2), p.param(2));
        let one = p.index(1);
        let shifted = p.add(at, one);
        let (half, parity) = (p.div(shifted, stride), p.rem(shifted, stride));
        let twice = p.mul(half, stride);
        let sum = p.add(twice, parity);
        for e in [at, half, parity, twice, sum] {
            for first in [0, 8, 40] {
                let value = |lane: i64| p.evaluate(e, &|_| Some(first + lane)).unwrap();
                let steps: Vec<i64> = (0..8).map(|lane| value(lane) - value(0)).collect();
                assert_eq!(p.lane_steps(e, axis, 8), Some(steps));
            }
        }
        let third = p.index(3);
        for by in [third, unknown] {
            let quotient = p.div(at, by);
            assert_eq!(p.lane_steps(quotient, axis, 8), None);
        }
    }
    #[test]
    fn limits_hold_at_every_point() {
        let mut p = Program::new();
        let [rows, columns] = [7, 12].map(|extent| p.param(extent));
        let axes = [p.add_axis("i", rows), p.add_axis("j", columns)];
        let [i, j] = axes.map(|axis| p.at(axis));
        let (five, three) = (p.param(5), p.index(3));
        let difference = p.sub(i, j);
        let product = p.mul(difference, five);
        let zero = p.index(0);
        let positive = p.max(product, zero);
        let (quotient, rest) = (p.div(positive, three), p.rem(positive, five));
        let least = p.min(quotient, j);
        for e in [i, difference, product, positive, quotient, rest, least] {
            let (low, high) = p.limits(e).unwrap();
            for (at_i, at_j) in (0..7).flat_map(|i| (0..12).map(move |j| (i, j))) {
                let value = p.evaluate(e, &|axis| Some(if axis == axes[0] { at_i } else { at_j })).unwrap();
                assert!((low..=high).contains(&value), "{value} in {low}..={high}");
            }
        }
        assert_eq!(p.limits(difference), Some((-11, 6)));
        let negative = p.div(product, three);
        assert_eq!(p.limits(negative), None);
    }
}
