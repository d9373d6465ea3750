//! Cells: points that [take turns](super::turns) along several dimensions, all those of one stride. They share windows.
//!
//! Which windows a point is in is known but for the edges of an image. Where all windows of a cell exist nothing is asked: its points are
//! computed side by side and stored after the last of them, so that a compiler sees that they read the same.

use super::emit::Rest;
use super::{Sweep, turns};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Most points of a cell, and most steps of a reduction, that are looked at one by one.
pub(super) const MOST_POINTS: i64 = 9;
const MOST_STEPS: i64 = 9;

/// Positions of axes.
type Place = Vec<(AxisId, i64)>;

/// The points of a stride, and what is reduced for each of them.
struct Cell {
    points: Vec<AxisId>,
    reductions: Vec<(E, ReduceOp, E, Vec<AxisId>)>,
    /// What holds at all points and steps if it does here.
    worst: Vec<(E, Place)>,
}

impl Sweep {
    /// Emits the loop over the axis at a depth, around those over the points of a cell and over the lanes, if it is one. Tells whether it did.
    pub(super) fn run_cells(&self, emitter: &mut Emitter<'_>, below: &Rest, first: &str, last: &str) -> bool {
        let (axis, Some(cell)) = (self.order[below.depth - 1], self.cell(below)) else { return false };
        let test = |emitter: &mut Emitter<'_>, at: &str| {
            let mut tests = Vec::new();
            for (condition, place) in &cell.worst {
                emitter.bind(axis, at);
                place.iter().for_each(|&(of, position)| emitter.bind(of, position.to_string()));
                tests.push(emitter.scalar(*condition));
            }
            tests.join(" && ")
        };
        self.run_cut(emitter, below, [first, last], test, |emitter| self.run_cell(emitter, below, &cell));
        true
    }

    /// What is in a turn of the loop at a depth, if that are the points of a cell.
    fn cell(&self, below: &Rest) -> Option<Cell> {
        let (program, (lanes, _)) = (&self.program, self.lanes?);
        let (&inner, points) = self.order[below.depth..].split_last()?;
        let outer = &self.order[..below.depth];
        let is_written_out =
            |axis: &AxisId| matches!(program.node(program.axis(*axis).extent), Node::Index(2..=turns::MOST));
        let fits = inner == lanes
            && below.inside
            && below.conditions.is_empty()
            && below.has_no_vectors()
            && self.windows.is_none()
            && self.overlaps;
        if !fits
            || points.is_empty()
            || !points.iter().all(is_written_out)
            || is_written_out(outer.last()?)
            || program.points(points)? > MOST_POINTS
        {
            return None;
        }
        let mut cell = Cell { points: points.to_vec(), reductions: Vec::new(), worst: Vec::new() };
        for e in self.across(below, lanes) {
            let Node::Reduce { op, ref axes, body } = *program.node(e) else { continue };
            let is_here = program.free_axes(e).iter().all(|free| self.order.contains(free));
            let is_short = axes.iter().all(|&axis| matches!(program.node(program.axis(axis).extent), Node::Index(_)));
            if !is_here || !is_short || program.points(axes)? > MOST_STEPS || !program.reductions([body]).is_empty() {
                return None;
            }
            cell.find_worst(program, body, axes, outer, lanes)?;
            cell.reductions.push((e, op, body, axes.clone()));
        }
        (!cell.reductions.is_empty() && !cell.worst.is_empty()).then_some(cell)
    }

    /// The points of a cell, for all lanes.
    fn run_cell(&self, emitter: &mut Emitter<'_>, below: &Rest, cell: &Cell) {
        let Some((lane_axis, lanes)) = self.lanes else { return };
        let (index, start) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(self.program.axis(lane_axis).extent);
        let known: Vec<E> = cell.worst.iter().map(|(condition, _)| *condition).collect();
        emitter.open(format!("for ({index} {start} = 0; {start} < {extent}; {start} += {lanes})"));
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        self.bind(emitter, lane_axis, &format!("min({start}, {extent} - {lanes})"), below);
        let mut made = Vec::new();
        for place in places(&self.program, &cell.points) {
            for (e, op, body, axes) in &cell.reductions {
                let (name, reduces) = (emitter.fresh("point"), [(*op, *body)]);
                let type_name = emitter.type_name(self.program.ty(*e), true);
                emitter.line(format!("{type_name} {name} = {};", Emitter::identity(*op, self.program.ty(*e))));
                emitter.open("");
                place.iter().for_each(|&(axis, position)| emitter.bind(axis, position.to_string()));
                let depth = emitter.open_reduction(axes);
                emitter.know_conditions(&reduces, &known);
                let blocks = emitter.open_where_it_counts(&reduces);
                emitter.know_conditions(&reduces, &known);
                let combined = self.combined(emitter, *op, &name, *body);
                emitter.line(format!("{name} = {combined};"));
                (0..depth + blocks + 1).for_each(|_| emitter.close());
                made.push((place.clone(), *e, name));
            }
        }
        for point in made.chunks(cell.reductions.len()) {
            emitter.open("");
            point[0].0.iter().for_each(|&(axis, position)| emitter.bind(axis, position.to_string()));
            for (_, e, name) in point {
                emitter.define(*e, Value { text: name.clone(), vector: true });
            }
            below.stores.iter().for_each(|store| emitter.store(store));
            emitter.close();
        }
        emitter.set_lanes(None);
        emitter.close();
    }
}

impl Cell {
    /// Finds where each condition on a reduction that moves along the loops outside is least likely to hold; none where lanes ask, too.
    fn find_worst(
        &mut self,
        program: &Program,
        body: E,
        axes: &[AxisId],
        outer: &[AxisId],
        lanes: AxisId,
    ) -> Option<()> {
        let moves = |condition: E| outer.iter().any(|&axis| program.depends_on(condition, axis));
        let inner = [&self.points, axes].concat();
        for group in conjunctions(program, body) {
            let (moving, fixed): (Vec<E>, Vec<E>) = group.into_iter().partition(|&condition| moves(condition));
            if moving.iter().any(|&condition| is_comparison(program, condition) && program.depends_on(condition, lanes))
            {
                return None;
            }
            for place in places(program, &inner) {
                let at = |axis: AxisId| place.iter().find(|(of, _)| *of == axis).map(|(_, position)| *position);
                if fixed.iter().any(|&condition| program.holds(condition, &at) == Some(false)) {
                    continue;
                }
                for &condition in &moving {
                    let Some(slack) = slack(program, condition, outer, &place) else { continue };
                    match self.worst.iter_mut().find(|(of, _)| *of == condition) {
                        Some((_, worst)) if slack < slack_at(program, condition, worst)? => *worst = place.clone(),
                        Some(_) => {}
                        None => self.worst.push((condition, place.clone())),
                    }
                }
            }
        }
        Some(())
    }
}

/// The conditions of selections and loads, each as what must hold together.
fn conjunctions(program: &Program, body: E) -> Vec<Vec<E>> {
    let mut found = Vec::new();
    program.visit([body], &mut |e| {
        if let Node::Select(condition, ..) | Node::Load { guard: Some(condition), .. } = *program.node(e) {
            found.push(program.conjuncts(condition));
        }
    });
    found
}

/// Whether a condition compares indices.
pub(super) fn is_comparison(program: &Program, condition: E) -> bool {
    matches!(program.node(condition), Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, _) if program.ty(*a) == Ty::Index)
}

/// By how much a comparison holds at a place, at the start of loops along which it moves one way.
fn slack(program: &Program, condition: E, outer: &[AxisId], place: &Place) -> Option<i64> {
    let Node::Binary(BinaryOp::Lt | BinaryOp::Le, small, large) = *program.node(condition) else { return None };
    let one_way = |e: E| outer.iter().all(|&axis| program.is_linear(e, axis));
    let fits = is_comparison(program, condition) && one_way(small) && one_way(large);
    fits.then(|| slack_at(program, condition, place))?
}

fn slack_at(program: &Program, condition: E, place: &Place) -> Option<i64> {
    let Node::Binary(_, small, large) = *program.node(condition) else { return None };
    let at = |axis: AxisId| Some(place.iter().find(|(of, _)| *of == axis).map_or(0, |(_, position)| *position));
    Some(program.evaluate(large, &at)? - program.evaluate(small, &at)?)
}

/// All positions of some axes together.
fn places(program: &Program, axes: &[AxisId]) -> Vec<Place> {
    let mut all = vec![Place::new()];
    for &axis in axes {
        let extent = program.extent(axis).unwrap_or(1);
        let longer = |place: &Place| (0..extent).map(|at| [&place[..], &[(axis, at)]].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{self, images, window};

    #[test]
    fn points_of_a_stride_are_computed_before_any_of_them_is_stored() {
        let alg = AlgKind::PoolingAvgExcludePadding;
        for (tag, extent, stride, points) in [
            ("acdb", 32, 2, 4),
            ("aBcd16b", 32, 2, 4),
            ("acdb", 33, 2, 0),
            // Nothing is shared by windows side by side.
            ("acdb", 30, 3, 0),
            // Where lanes run along the windows each of them asks.
            ("abcd", 32, 2, 0),
        ] {
            let (src, dst) = (images(tag, 32, extent), images(tag, 32, (extent - 1) / stride + 1));
            let text = sample::text(Pooling::backward(alg, &src, &dst, window(stride, 1), None).unwrap());
            assert_eq!(text.matches("float16 point").count(), points, "{tag} {extent} by {stride}\n{text}");
        }
    }
}
