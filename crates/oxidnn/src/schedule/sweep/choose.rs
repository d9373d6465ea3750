//! Which axis is which: the loops of a stage and their order, by what its accesses cost.

use std::collections::{BTreeMap, BTreeSet};

use super::loops::Loops;
use super::next::Next;
use super::window::Row;
use super::{
    Kept, MANY_STORES, STRIP, Sweep, UNROLL, WIDE_STRIP, ahead, is_transcendental, overlap, short, turns, weights,
};
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::ceil;

/// How many times a contiguous access an access to scattered elements costs, a lane.
const SCATTERED: f64 = 8.0;
/// The same for every second element, which are put together of two vectors, or for elements that are put in place in one.
const EVERY_SECOND: f64 = 3.0;
/// The same for an access without lanes.
const SCALAR: f64 = 4.0;
/// The same in a reduction, where each step waits for the one before.
const IN_TURN: f64 = 16.0;
/// What combining the lanes of a reduction costs, in elements.
const COMBINE: f64 = 64.0;
/// Axes along which what does not fill a vector matters.
const SHORT: i64 = 256;
/// Steps of a reduction from which on long runs of memory are worth a buffer.
const WORTH_WIDE: f64 = 16.0;
/// Most vectors of a strip that is a whole row and ends with a vector that overlaps.
const MOST_COVERED: i64 = 4;
/// Most elements of a row that are kept in a buffer of the work-item.
const MOST_KEPT: i64 = 32768;

/// The loops for a stage.
pub(super) fn choose(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Sweep> {
    let merged = short::merge(program, stage);
    let (program, stage) = merged.as_ref().map_or((program, stage), |(program, stage)| (program, stage));
    let facts = Facts::of(program, stage, profile);
    if let Some(row) = Row::find(program, stage, profile) {
        return facts.sweep(facts.lanes_over(*row.axes.last()?)?, profile);
    }
    let mut candidates: Vec<Candidate> = stage.axes.iter().filter_map(|&axis| facts.lanes_over(axis)).collect();
    if facts.reductions.is_empty() {
        candidates.retain(|candidate| candidate.lanes.is_some_and(|(_, lanes)| lanes > 1));
    } else {
        candidates.extend(facts.rows());
    }
    let best = candidates.into_iter().reduce(|best, other| if other.cost < best.cost { other } else { best })?;
    if let Some((lanes, _)) = best.lanes
        && stage.axes.iter().all(|axis| facts.fixed.contains(axis))
        && let Some((program, stage)) = turns::split(program, stage, lanes)
    {
        let facts = Facts::of(&program, &stage, profile);
        return facts.sweep(facts.lanes_over(lanes)?, profile);
    }
    facts.sweep(best, profile)
}

/// A way to run a stage.
#[derive(Debug)]
struct Candidate {
    lanes: Option<(AxisId, i64)>,
    rows: Vec<(E, AxisId, i64)>,
    cost: f64,
}

/// A stage and what was found out about it.
struct Facts<'p> {
    program: &'p Program,
    stage: &'p Stage,
    reductions: Vec<E>,
    /// The axes that reductions depend on.
    fixed: BTreeSet<AxisId>,
    most_lanes: i64,
}

/// A load, and the axes of the reductions around it.
struct Access {
    offset: E,
    guard: Option<E>,
    around: BTreeSet<AxisId>,
    /// Whether it is outside of all reductions.
    outside: bool,
}

impl<'p> Facts<'p> {
    fn of(program: &'p Program, stage: &'p Stage, profile: &DeviceProfile) -> Facts<'p> {
        let roots = program.roots(stage);
        let reductions = program.reductions(roots.iter().copied());
        let domain: BTreeSet<AxisId> = stage.axes.iter().copied().collect();
        let fixed = reductions
            .iter()
            .flat_map(|&e| program.free_axes(e).iter().copied())
            .filter(|a| domain.contains(a))
            .collect();
        let mut doubles = false;
        program.visit(roots, &mut |e| doubles |= program.ty(e) == Ty::F64);
        let most_lanes = (profile.vector_bytes as i64 / if doubles { 8 } else { 4 }).min(16);
        Facts { program, stage, reductions, fixed, most_lanes }
    }

    /// As many lanes as an axis can fill.
    fn lane_count(&self, axis: AxisId) -> i64 {
        let extent = self.longest(axis);
        let fitting = [16, 8, 4].into_iter().filter(|&lanes| lanes <= extent && lanes <= self.most_lanes);
        // Narrower vectors that fill a short axis are better than elements that are left over.
        let overlaps = self.stage.axes.contains(&axis) && overlap::allowed(self.program, self.stage, axis);
        let steps = |lanes: i64| match extent < SHORT {
            true if overlaps => ceil(extent, lanes),
            true => extent / lanes + extent % lanes,
            false => extent / lanes,
        };
        fitting.min_by_key(|&lanes| steps(lanes)).unwrap_or(1)
    }

    /// The extent of an axis; where that depends on others, at their start.
    fn longest(&self, axis: AxisId) -> i64 {
        self.program.evaluate(self.program.axis(axis).extent, &|_| Some(0)).unwrap_or(0)
    }

    fn extent(&self, axis: AxisId) -> f64 {
        self.longest(axis).max(1) as f64
    }

    fn points<'a>(&self, axes: impl IntoIterator<Item = &'a AxisId>) -> f64 {
        axes.into_iter().map(|&axis| self.extent(axis)).product()
    }

    /// What accesses along lanes over an axis cost, an element.
    fn access_cost(&self, offset: E, axis: AxisId, lanes: i64) -> f64 {
        if lanes == 1 {
            return SCALAR;
        }
        if !self.program.depends_on(offset, axis) {
            return 1.0 / lanes as f64;
        }
        if self.program.constant_step(offset, axis) == Some(1) {
            return 1.0;
        }
        let every_second = self.program.is_linear(offset, axis) && self.program.step(offset, axis) == Some(2);
        let steps = self.program.lane_steps(offset, axis, lanes as usize);
        let nearby = steps.is_some_and(|steps| steps.iter().all(|step| (0..lanes).contains(step)));
        if (every_second && lanes >= 8) || nearby { EVERY_SECOND } else { SCATTERED }
    }

    /// The same of a load. One of the same element for all lanes that asks each of them is made for each.
    fn load_cost(&self, load: &Access, axis: AxisId, lanes: i64) -> f64 {
        let asks = load.guard.is_some_and(|guard| self.program.depends_on(guard, axis));
        match asks && lanes > 1 && !self.program.depends_on(load.offset, axis) {
            true => SCATTERED,
            false => self.access_cost(load.offset, axis, lanes),
        }
    }

    /// All loads; one that is both inside of a reduction and outside is listed for each.
    fn loads(&self) -> Vec<Access> {
        fn walk(p: &Program, e: E, around: &BTreeSet<AxisId>, outside: bool, seen: &mut Seen, found: &mut Vec<Access>) {
            if !seen.insert((e, around.clone(), outside)) {
                return;
            }
            let mut inner = around.clone();
            let mut outside = outside;
            match p.node(e) {
                Node::Load { offset, guard, .. } => {
                    found.push(Access { offset: *offset, guard: *guard, around: around.clone(), outside });
                }
                Node::Reduce { axes, .. } => {
                    // A reduction that does not depend on the axes around it is computed outside of their loops.
                    inner = p.free_axes(e).intersection(around).chain(axes).copied().collect();
                    outside = false;
                }
                _ => {}
            }
            for operand in p.operands(e) {
                walk(p, operand, &inner, outside, seen, found);
            }
        }
        type Seen = BTreeSet<(E, BTreeSet<AxisId>, bool)>;
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for root in self.program.roots(self.stage) {
            walk(self.program, root, &BTreeSet::new(), true, &mut seen, &mut found);
        }
        found
    }

    /// Whether a condition on the padding can be tested by its last lane.
    fn bounds_grow(&self, axis: AxisId) -> bool {
        let conditions = self.stage.bounds.map_or_else(Vec::new, |bounds| self.program.conjuncts(bounds));
        conditions.iter().all(|&condition| match *self.program.node(condition) {
            _ if !self.program.depends_on(condition, axis) => true,
            Node::Binary(BinaryOp::Lt, a, b) => {
                !self.program.depends_on(b, axis)
                    && self.program.is_linear(a, axis)
                    && self.program.step(a, axis).is_some_and(|step| step >= 0)
            }
            _ => false,
        })
    }

    /// Lanes over an axis of the domain, in reductions too.
    fn lanes_over(&self, axis: AxisId) -> Option<Candidate> {
        let uneven = self.reductions.iter().any(|&e| match self.program.node(e) {
            Node::Reduce { axes, .. } => {
                axes.iter().any(|&inner| self.program.depends_on(self.program.axis(inner).extent, axis))
            }
            _ => false,
        });
        if uneven || !self.bounds_grow(axis) {
            return None;
        }
        let lanes = self.lane_count(axis);
        let all = self.points(&self.stage.axes);
        let fixed = self.points(&self.fixed);
        let in_rows = !self.reductions.is_empty() && !self.fixed.contains(&axis);
        let mut cost = 0.0;
        for load in self.loads() {
            let points = if load.outside { all } else { fixed };
            // A reduction that does not depend on the axis is scalar.
            let each = if in_rows && !load.outside { IN_TURN } else { self.load_cost(&load, axis, lanes) };
            cost += points * self.points(&load.around) * each;
        }
        for store in &self.stage.stores {
            cost += all * self.access_cost(store.offset, axis, lanes);
        }
        Some(Candidate { lanes: (lanes > 1).then_some((axis, lanes)), rows: Vec::new(), cost })
    }

    /// Lanes over the rows of reductions, and over a remaining axis of the domain.
    fn rows(&self) -> Option<Candidate> {
        let mut rows = Vec::new();
        let mut cost = 0.0;
        let fixed = self.points(&self.fixed);
        for &e in &self.reductions {
            let Node::Reduce { axes, body, .. } = self.program.node(e) else { continue };
            // One that depends on another's axes belongs to that one's loop.
            if self.program.free_axes(e).iter().any(|axis| !self.stage.axes.contains(axis)) {
                continue;
            }
            let best = axes
                .iter()
                .map(|&axis| (self.row_cost(*body, axis), axis))
                .reduce(|best, other| if other.0 < best.0 { other } else { best });
            let (each, axis) = best?;
            cost += fixed * (self.points(axes) * each + COMBINE);
            rows.push((e, axis, self.lane_count(axis)));
        }
        let all = self.points(&self.stage.axes);
        let element = |axis: Option<AxisId>| {
            let lanes = axis.map_or(1, |axis| self.lane_count(axis));
            let loads = self.loads();
            let offsets = loads.iter().filter(|load| load.outside).map(|load| load.offset);
            let stores = self.stage.stores.iter().map(|store| store.offset);
            let each = |offset| axis.map_or(SCALAR, |axis| self.access_cost(offset, axis, lanes));
            offsets.chain(stores).map(each).sum::<f64>() * all
        };
        let inner = self.stage.axes.iter().copied().filter(|axis| !self.fixed.contains(axis));
        let inner = inner.filter(|&axis| self.bounds_grow(axis) && self.lane_count(axis) > 1);
        let lanes = inner.map(|axis| (element(Some(axis)), axis)).reduce(
            |best, other| {
                if other.0 < best.0 { other } else { best }
            },
        );
        cost += lanes.map_or_else(|| element(None), |(cost, _)| cost);
        Some(Candidate { lanes: lanes.map(|(_, axis)| (axis, self.lane_count(axis))), rows, cost })
    }

    /// What the loads of a reduction cost at each point, with lanes over one of its axes.
    fn row_cost(&self, body: E, axis: AxisId) -> f64 {
        let lanes = self.lane_count(axis);
        if lanes == 1 {
            return IN_TURN;
        }
        let mut cost = 0.0;
        let mut inner = false;
        self.program.visit([body], &mut |e| match *self.program.node(e) {
            Node::Load { offset, .. } => cost += self.access_cost(offset, axis, lanes),
            Node::Reduce { .. } => inner |= self.program.depends_on(e, axis),
            _ => {}
        });
        if inner { cost + SCATTERED } else { cost }
    }

    /// The loops of a candidate.
    fn sweep(&self, candidate: Candidate, profile: &DeviceProfile) -> Option<Sweep> {
        let Candidate { lanes, mut rows, .. } = candidate;
        let (mut program, mut stage) = (self.program.clone(), self.stage.clone());
        let windows = Row::of(&mut program, &mut stage, profile);
        let lane_axis = lanes.map(|(axis, _)| axis);
        let weighs =
            lane_axis.is_some_and(|axis| windows.is_none() && weights::multiply(&mut program, &mut stage, axis));
        let last = |axes: Vec<AxisId>| {
            let row: Vec<AxisId> = match &windows {
                Some(row) => row.axes.clone(),
                None => Vec::from_iter(lane_axis),
            };
            let others = axes.iter().copied().filter(|axis| !row.contains(axis));
            others.chain(row.iter().copied().filter(|axis| axes.contains(axis))).collect::<Vec<AxisId>>()
        };
        let (order, fixed) = if self.reductions.is_empty() {
            (last(self.stage.axes.clone()), self.stage.axes.len())
        } else {
            let (outer, inner): (Vec<AxisId>, Vec<AxisId>) =
                self.stage.axes.iter().partition(|axis| self.fixed.contains(axis));
            let fixed = outer.len();
            (last(outer).into_iter().chain(last(inner)).collect(), fixed)
        };
        // Where lanes run over the domain in reductions too, there are no rows.
        let across = lane_axis.is_some_and(|axis| self.fixed.contains(&axis));
        if across {
            rows.clear();
        }
        rows.retain(|(_, _, lanes)| *lanes > 1);
        let mut loops = Loops::of(&program, &order, fixed, &self.reductions, lanes, profile);
        if let Some(row) = &windows {
            loops.keep_whole(&program, &order, row.axes.len());
        }
        let steps = if across { self.steps(&mut program) } else { Vec::new() };
        let is_long = |&e: &E| matches!(program.node(e), Node::Reduce { axes, .. } if self.points(axes) >= WORTH_WIDE);
        let jumps = |lanes: i64| {
            fixed == order.len()
                && self.reductions.iter().any(is_long)
                && steps.iter().any(|&(_, step)| program.value(step).is_some_and(|step| step > STRIP * lanes))
        };
        let most = match lanes {
            Some((_, lanes)) if across && jumps(lanes) => WIDE_STRIP,
            _ if across => STRIP,
            _ if self.stage.stores.len() >= MANY_STORES => 1,
            _ => UNROLL,
        };
        let overlaps =
            windows.is_none() && lane_axis.is_some_and(|axis| overlap::allowed(self.program, self.stage, axis));
        let strip = match lanes {
            Some((axis, lanes)) => {
                // Where work-items share the axis, a strip is a part of what one of them has.
                let is_shared = order.get(loops.looped) == Some(&axis) && loops.chunks > 1;
                let vectors = if is_shared { loops.chunk } else { program.extent(axis)? } / lanes;
                // Of wide ones that which leaves the fewest vectors over, each of which is a pass of its own.
                let passes = |strip: i64| vectors / strip + vectors % strip;
                let wide = (3..=WIDE_STRIP / 8).rev().map(|eights| 8 * eights);
                let wide = wide.filter(|&strip| strip <= most && strip <= vectors).min_by_key(|&strip| passes(strip));
                let narrow = [16, 8, 4, 2].into_iter().find(|&strip| strip <= most && strip <= vectors);
                let is_whole = fixed == order.len() && order.get(loops.looped) != Some(&axis);
                let all = ceil(program.extent(axis)?, lanes);
                let covers = overlaps && is_whole && all > vectors && (2..=MOST_COVERED).contains(&all);
                if covers { all } else { wide.or(narrow).unwrap_or(1) }
            }
            None => 1,
        };
        let ahead = self.ahead(&mut program, &rows, order[..fixed].last().copied());
        let kept = self.kept(&rows, &order[fixed..]);
        let next = Next::of(&mut program, &rows, order[..fixed].last().copied());
        let streams = Sweep::streams(&mut program, self.stage, profile);
        let reads_far = Sweep::reads_far(self.program, self.stage, profile);
        let once = match profile.drops_outward && reads_far {
            true => ahead::read_once(&program, &stage, profile.cache_bytes),
            false => BTreeSet::new(),
        };
        let room = self.room(&mut program, lane_axis);
        let chunk = program.param(loops.chunk);
        let chunks = program.param(loops.chunks);
        let (looped, global) = (loops.looped, loops.global as usize);
        Some(Sweep {
            program,
            stage,
            lanes,
            order,
            fixed,
            looped,
            chunk,
            chunks,
            strip,
            overlaps,
            rows,
            kept,
            next,
            ahead,
            steps,
            streams,
            reads_far,
            once,
            weighs,
            windows,
            room,
            global,
        })
    }

    /// The elements of tensors whose loads are guarded along the lanes, or skip and repeat elements.
    fn room(&self, program: &mut Program, lanes: Option<AxisId>) -> Vec<(TensorId, E)> {
        let mut sizes = BTreeMap::new();
        let Some(axis) = lanes else { return Vec::new() };
        self.program.visit(self.program.roots(self.stage), &mut |e| {
            if let Node::Load { tensor, offset, guard, .. } = *self.program.node(e)
                && (!self.program.is_linear(offset, axis)
                    || guard.is_some_and(|guard| self.program.depends_on(guard, axis)))
                && let Some(elements) = self.program.tensor(tensor).elements
            {
                sizes.insert(tensor, elements);
            }
        });
        sizes.into_iter().map(|(tensor, elements)| (tensor, program.param(elements))).collect()
    }

    /// By how much the offsets of loads in reductions grow from step to step.
    fn steps(&self, program: &mut Program) -> Vec<(E, E)> {
        let mut found = Vec::new();
        for &e in &self.reductions {
            let Node::Reduce { axes, body, .. } = self.program.node(e) else { continue };
            let Some(&last) = axes.last() else { continue };
            self.program.visit([*body], &mut |load| {
                if let Node::Load { offset, .. } = *self.program.node(load)
                    && self.program.depends_on(offset, last)
                {
                    found.push((offset, last));
                }
            });
        }
        found.into_iter().filter_map(|(offset, axis)| Some((offset, program.linear(offset, axis)?.0))).collect()
    }

    /// By how much the offsets of loads along rows grow from row to row.
    fn ahead(&self, program: &mut Program, rows: &[(E, AxisId, i64)], outer: Option<AxisId>) -> Vec<(E, E)> {
        let Some(outer) = outer else { return Vec::new() };
        let mut offsets = Vec::new();
        self.program.visit(rows.iter().map(|(e, _, _)| *e), &mut |e| {
            if let Node::Load { offset, .. } = *self.program.node(e)
                && self.program.depends_on(offset, outer)
            {
                offsets.push(offset);
            }
        });
        offsets.into_iter().filter_map(|offset| Some((offset, program.linear(offset, outer)?.0))).collect()
    }

    /// An expensive value that a reduction over a row computes and that is needed at the row's elements again.
    fn kept(&self, rows: &[(E, AxisId, i64)], inner: &[AxisId]) -> Option<Kept> {
        let &[inner] = inner else { return None };
        let extent = self.program.extent(inner)?;
        if extent > MOST_KEPT {
            return None;
        }
        let needed = self.program.outside_of_reductions(self.program.roots(self.stage));
        rows.iter().find_map(|&(reduction, axis, _)| {
            let Node::Reduce { axes, body, .. } = self.program.node(reduction) else { return None };
            if axis != inner || axes.len() != 1 {
                return None;
            }
            let value = largest_shared(self.program, *body, inner, &needed)?;
            Some(Kept { value, reduction, axis, size: (extent as u64).next_power_of_two() as i64 })
        })
    }
}

/// The outermost node of `e` that is expensive, changes along the axis, is an f32 and is among `needed`.
fn largest_shared(program: &Program, e: E, axis: AxisId, needed: &BTreeSet<E>) -> Option<E> {
    let mut expensive = false;
    program.visit([e], &mut |x| {
        expensive |= program.depends_on(x, axis) && is_transcendental(program.node(x));
    });
    if !expensive {
        return None;
    }
    if needed.contains(&e) && program.ty(e) == Ty::F32 {
        return Some(e);
    }
    program.operands(e).into_iter().find_map(|x| largest_shared(program, x, axis, needed))
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text};

    #[test]
    fn lanes_run_along_channels_where_windows_are_asked_for_each_row() {
        // All windows of a row are asked for each of its elements, so which are read does not change along it.
        let (src, dst) = (images("acdb", 32, 7), images("acdb", 32, 4));
        let [none, one, five] = [0, 1, 5].map(|x| Dims::from([x, x]));
        let window = PoolWindow { strides: one, kernel: five, dilation: none, padding_l: one, padding_r: none };
        let text = text(Pooling::backward(AlgKind::PoolingMax, &src, &dst, window, None).unwrap());
        assert!(text.contains("vload16") && !text.contains(".s0]"), "{text}");
    }
}
