//! Stages that share their outer loops become one: a row's statistics and the row itself.
//!
//! A stage that reduces rows to numbers, and a later one that reads the numbers at the rows' elements, are the same as the later
//! one with the reductions in place of the loads. What the caller wants to see of the numbers is stored by it as well,
//! once a row. A schedule for CPUs computes the reductions before the loop over the row, which is in the cache by then.

use std::collections::{BTreeSet, HashMap};

use super::{contract, sweep, takes_rows};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The longest rows: they should stay in an inner cache until they are read again.
const LONGEST: i64 = 1 << 18;
/// The longest rows of vectors, where neighbours in memory belong to different rows.
const LONGEST_ACROSS: i64 = 1 << 13;
/// Rows of vectors that one work-item walks at a time.
const SIDE_BY_SIDE: i64 = 64;
/// Elements that are worth more than one work-item.
const WORTH_SHARING: i64 = 1 << 14;

/// Fuses what can be fused.
pub(super) fn fuse(program: &mut Program, profile: &DeviceProfile) {
    let mut at = 0;
    while at < program.stages.len() {
        match fuse_stage(program, at, profile) {
            Some(next) => at = next,
            None => at += 1,
        }
    }
}

/// Lets sums of neighbours in memory that are over as many elements, none of which is part of another, run over the same axes: they are
/// computed in one walk then.
pub(super) fn share_walks(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let mut stage = program.stages[index].clone();
        if sweep::takes(program, &stage, profile) && !contract::takes(program, &stage, profile) {
            share_axes(program, &mut stage);
            program.stages[index] = stage;
        }
    }
}

fn share_axes(program: &mut Program, stage: &mut Stage) {
    let mut shared: Vec<Vec<AxisId>> = Vec::new();
    for reduction in program.reductions(program.roots(stage)) {
        let Node::Reduce { op, axes, body } = program.node(reduction).clone() else { continue };
        let extents = |axes: &[AxisId]| axes.iter().map(|&axis| program.extent(axis)).collect::<Option<Vec<i64>>>();
        let is_single = program.reductions([body]).is_empty() && runs_across(program, body, &stage.axes);
        let Some(length) = extents(&axes).filter(|_| is_single) else { continue };
        let Some(others) = shared.iter().find(|others| extents(others).as_ref() == Some(&length)) else {
            shared.push(axes);
            continue;
        };
        if *others != axes && !others.iter().any(|&axis| program.depends_on(body, axis)) {
            let others = others.clone();
            let places = axes.iter().zip(&others).map(|(&axis, &other)| (axis, program.at(other))).collect();
            let body = program.substitute(body, &places);
            let renamed = program.reduce(op, others, body);
            program.replace_in(stage, reduction, renamed);
        }
    }
}

/// Whether neighbours in memory that an expression reads belong to different points of some axes.
fn runs_across(program: &Program, e: E, axes: &[AxisId]) -> bool {
    let mut across = false;
    program.visit([e], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            across |= axes.iter().any(|&axis| program.constant_step(offset, axis) == Some(1));
        }
    });
    across
}

/// Puts the stage at a position into all that read what it writes; tells where to go on.
fn fuse_stage(program: &mut Program, at: usize, profile: &DeviceProfile) -> Option<usize> {
    let row = program.stages[at].clone();
    let [store] = row.stores[..] else { return None };
    let contracts = |stage: &Stage| contract::takes(program, stage, profile);
    if row.bounds.is_some() || program.reductions([store.value]).is_empty() || contracts(&row) {
        return None;
    }
    let readers: Vec<usize> =
        (at + 1..program.stages.len()).filter(|&other| reads(program, &program.stages[other], store.tensor)).collect();
    // What repeats may read what it wrote the time before.
    if row.repeat.is_some() || readers.iter().any(|&reader| program.stages[reader].repeat.is_some()) {
        return None;
    }
    // Nor may a stage in between change what the row's number is made of.
    let touched: Vec<Binding> = program.stage_tensors(&row).iter().map(|(t, _)| program.tensor(*t).binding).collect();
    let writes = |store: &Store| touched.contains(&program.tensor(store.tensor).binding);
    let between = &program.stages[at + 1..*readers.last()?];
    if between.iter().any(|stage| stage.stores.iter().any(writes)) {
        return None;
    }
    let fused: Vec<Option<(Stage, E, E)>> =
        readers.iter().map(|&reader| inline(program, &row, &store, reader, readers.len() == 1, profile)).collect();
    // Readers that take the number from memory come after the one that stores it.
    let visible = matches!(program.tensor(store.tensor).binding, Binding::Arg { .. });
    let stays = visible || fused.iter().any(Option::is_none);
    let &first = readers.first().filter(|_| fused[0].is_some())?;
    // A reader with one result may become part of the next reader itself.
    let keeper = if fused.iter().all(Option::is_some) { *readers.last()? } else { first };
    for (&reader, stage) in readers.iter().zip(fused) {
        let Some((mut stage, offset, value)) = stage else { continue };
        if stays && reader == keeper {
            stage.stores.push(Store { tensor: store.tensor, offset, value });
        }
        program.stages[reader] = stage;
    }
    program.stages.remove(at);
    Some(at)
}

fn reads(program: &Program, stage: &Stage, tensor: TensorId) -> bool {
    let mut found = false;
    program.visit(program.roots(stage), &mut |e| {
        found |= matches!(program.node(e), Node::Load { tensor: of, .. } if *of == tensor);
    });
    found
}

/// A reader of a row's number with the number's expression in place of its loads, if it walks the rows; and where it read
/// what.
fn inline(
    program: &mut Program,
    row: &Stage,
    store: &Store,
    reader: usize,
    is_only: bool,
    profile: &DeviceProfile,
) -> Option<(Stage, E, E)> {
    let mut stage = program.stages[reader].clone();
    if contract::takes(program, &stage, profile) {
        return None;
    }
    let mut loads = Vec::new();
    program.visit(program.roots(&stage), &mut |e| {
        if matches!(program.node(e), Node::Load { tensor, .. } if *tensor == store.tensor) {
            loads.push(e);
        }
    });
    let [load] = loads[..] else { return None };
    let Node::Load { offset, guard: None, ty, .. } = *program.node(load) else { return None };
    if ty != program.ty(store.value) || !is_exact(program, store) {
        return None;
    }
    let mut positions = HashMap::new();
    if !unify(program, store.offset, offset, &row.axes, &mut positions) {
        return None;
    }
    let rows: BTreeSet<AxisId> = positions
        .values()
        .map(|&e| match program.node(e) {
            Node::Axis(axis) if stage.axes.contains(axis) => Some(*axis),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let single = |program: &Program, axis: &AxisId| program.extent(*axis) == Some(1);
    if rows.len() != positions.len()
        || !row.axes.iter().all(|axis| positions.contains_key(axis) || single(program, axis))
    {
        return None;
    }
    // Padding of the reader's rows has no number, and what is stored has no room for one.
    let as_long = |(axis, &e): (&AxisId, &E)| match program.node(e) {
        Node::Axis(of) => program.extent(*of).is_some_and(|extent| program.extent(*axis) == Some(extent)),
        _ => false,
    };
    if !positions.iter().all(as_long) {
        return None;
    }
    let count = program.points(&rows).unwrap_or(0);
    let inner: Vec<AxisId> =
        stage.axes.iter().copied().filter(|axis| !rows.contains(axis) && !single(program, axis)).collect();
    let reduced = program.reductions([store.value]).into_iter().map(|e| match program.node(e) {
        Node::Reduce { axes, .. } => program.points(axes).unwrap_or(0),
        _ => 1,
    });
    let (inside, reduced) = (program.points(&inner).unwrap_or(0), reduced.max().unwrap_or(1));
    let length = inside.max(reduced);
    // The result may take the place of what is read, so no row may read of another, unless a copy is read, or written.
    let scratch = |store: &Store| matches!(program.tensor(store.tensor).binding, Binding::Scratch { .. });
    let is_copied = sweep::takes(program, &stage, profile) && stage.stores.iter().all(scratch);
    let disjoint = is_copied
        || if inner.is_empty() {
            smallest_argument(program, store.value).is_none_or(|elements| count < elements)
        } else {
            smallest_argument(program, store.value).is_none() || reduced == inside
        };
    if !disjoint && !is_only {
        return None;
    }
    let enough = 4 * profile.compute_units as i64;
    let across = runs_across(program, store.value, &row.axes);
    let longest = if across { LONGEST_ACROSS } else { LONGEST };
    let shares = if across { count / SIDE_BY_SIDE } else { count };
    if length > longest || (shares < enough && count * length > WORTH_SHARING) {
        return None;
    }
    let reduces = |program: &Program, stage: &Stage| !program.reductions(program.roots(stage)).is_empty();
    // A reader that reduces rows itself must reduce the same rows.
    if reduces(program, &stage) && stage.axes.iter().any(|axis| !rows.contains(axis) && !single(program, axis)) {
        let dependent = program
            .reductions(program.roots(&stage))
            .into_iter()
            .all(|e| program.free_axes(e).iter().all(|axis| rows.contains(axis)));
        if !dependent {
            return None;
        }
    }
    let mut value = program.substitute(store.value, &positions);
    if let [inner] = inner[..] {
        value = along(program, value, inner);
    }
    program.replace_in(&mut stage, load, value);
    let safe = disjoint || sweep::windows_along(program, &stage, profile).is_some();
    (safe && takes_rows(program, &stage, profile)).then_some((stage, offset, value))
}

/// The elements of the smallest tensor of the caller's that an expression reads.
fn smallest_argument(program: &Program, e: E) -> Option<i64> {
    let mut smallest: Option<i64> = None;
    program.visit([e], &mut |e| {
        if let Node::Load { tensor, .. } = *program.node(e)
            && let Tensor { binding: Binding::Arg { .. }, elements, .. } = program.tensor(tensor)
        {
            let elements = elements.unwrap_or(0);
            smallest = Some(smallest.map_or(elements, |least| least.min(elements)));
        }
    });
    smallest
}

/// Whether a value comes back from memory as it was stored.
pub(super) fn is_exact(program: &Program, store: &Store) -> bool {
    program.tensor(store.tensor).data_type == program.ty(store.value).storage()
}

/// Finds what the axes of `pattern` must be replaced by to give `e`.
pub(super) fn unify(program: &Program, pattern: E, e: E, axes: &[AxisId], found: &mut HashMap<AxisId, E>) -> bool {
    if let Node::Axis(axis) = program.node(pattern)
        && axes.contains(axis)
    {
        return *found.entry(*axis).or_insert(e) == e;
    }
    if pattern == e {
        return program.free_axes(e).iter().all(|axis| !axes.contains(axis));
    }
    match (program.node(pattern), program.node(e)) {
        (&Node::Binary(op, a, b), &Node::Binary(other, c, d)) if op == other => {
            unify(program, a, c, axes, found) && unify(program, b, d, axes, found)
        }
        _ => false,
    }
}

/// Lets reductions over one axis as long as `row` run over `row` itself, so that what they compute at an element is the same
/// expression as what is computed there afterwards.
fn along(program: &mut Program, mut e: E, row: AxisId) -> E {
    let extent = program.extent(row);
    let position = program.at(row);
    let fits = |program: &Program, reduction: E| match program.node(reduction) {
        Node::Reduce { axes, body, .. } => match axes[..] {
            [axis] => {
                let crossed = |inner: E| {
                    program.depends_on(inner, axis)
                        && matches!(program.node(inner), Node::Reduce { axes, .. } if axes.contains(&row))
                };
                axis != row
                    && program.extent(axis) == extent
                    && !program.depends_on(*body, row)
                    && !program.reductions([*body]).into_iter().any(crossed)
            }
            _ => false,
        },
        _ => false,
    };
    while let Some(reduction) = program.reductions([e]).into_iter().find(|&reduction| fits(program, reduction)) {
        let Node::Reduce { op, axes, body } = program.node(reduction).clone() else { break };
        let body = program.substitute(body, &HashMap::from([(axes[0], position)]));
        let renamed = program.reduce(op, vec![row], body);
        e = program.replace(e, reduction, renamed);
    }
    e
}
