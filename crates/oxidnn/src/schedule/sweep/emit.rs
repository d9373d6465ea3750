//! The text of a sweep.

use std::collections::BTreeSet;

use super::steady::Settled;
use super::{STRIP, Sweep, turns};
use crate::codegen::opencl::{ALIGNED, Emitter, Value};
use crate::desc::DataType;
use crate::program::*;
use crate::schedule::map::bind_linear;

/// What is left to do at some depth of the loops.
#[derive(Clone)]
pub(super) struct Rest {
    pub depth: usize,
    /// Whether values are stored, or the zeros of padding.
    pub inside: bool,
    /// Conditions for being inside that were not tested yet.
    pub conditions: Vec<E>,
    /// Stores that were not done yet.
    pub stores: Vec<Store>,
    /// Reductions in the making, and the arrays that hold them: components are vectors side by side.
    pub strips: Vec<(E, String)>,
    /// What is in a buffer for all lanes.
    pub settled: Vec<Settled>,
    /// What is in a buffer for all lanes in the order of pairs.
    pub halves: Vec<(E, String)>,
    /// Whether the row of which windows are read was copied before.
    pub is_copied: bool,
    /// The array of vectors to which what is read of the next row is added.
    pub next: Option<String>,
    /// The axis along which windows lie inside: whatever depends on it holds for all steps.
    pub inside_along: Option<AxisId>,
}

impl Rest {
    /// Whether no vectors were computed before.
    pub fn has_no_vectors(&self) -> bool {
        self.strips.is_empty() && self.settled.is_empty()
    }
}

impl Sweep {
    pub(super) fn body(&self, emitter: &mut Emitter<'_>) {
        let Sweep { program, order, looped, .. } = self;
        let index = emitter.index_type();
        if let Some(streams) = self.streams {
            let condition = emitter.scalar(streams);
            emitter.set_streaming(Some(condition));
        }
        emitter.set_contracting(self.contracts());
        emitter.set_whole_starts(true);
        for &(tensor, elements) in &self.room {
            emitter.set_room(tensor, elements);
        }
        self.declare_row(emitter);
        if let Some(kept) = &self.kept {
            emitter.line(format!("float kept[{}] {ALIGNED};", kept.size));
        }
        emitter.line(format!("const {index} item = ({index})get_global_id(0);"));
        let rest = Rest {
            depth: *looped,
            inside: true,
            conditions: self.stage.bounds.map_or_else(Vec::new, |bounds| program.conjuncts(bounds)),
            stores: self.stage.stores.clone(),
            strips: Vec::new(),
            settled: Vec::new(),
            halves: Vec::new(),
            is_copied: false,
            next: None,
            inside_along: None,
        };
        let Some(&axis) = order.get(*looped).filter(|_| *looped < self.fixed) else {
            bind_linear(emitter, program, &order[..*looped], "item".into());
            return self.walk(emitter, rest);
        };
        let (chunk, chunks) = (emitter.scalar(self.chunk), emitter.scalar(self.chunks));
        let extent = emitter.scalar(program.axis(axis).extent);
        emitter.line(format!("const {index} first = item % {chunks} * {chunk};"));
        emitter.line(format!("const {index} last = min(first + {chunk}, {extent});"));
        if *looped > 0 {
            emitter.line(format!("const {index} outer = item / {chunks};"));
            bind_linear(emitter, program, &order[..*looped], "outer".into());
        }
        self.test_known(emitter, rest, &|emitter, mut rest| {
            self.prepare(emitter, &mut rest);
            if rest.inside {
                rest.halves = self.halve(emitter);
            }
            self.run(emitter, rest, "first", "last");
        });
    }

    /// Tests the conditions that do not change in the loops that are left, before anything is read, and emits what follows for either case.
    fn test_known(&self, emitter: &mut Emitter<'_>, mut rest: Rest, follows: &dyn Fn(&mut Emitter<'_>, Rest)) {
        let inner = &self.order[rest.depth..];
        let (known, later): (Vec<E>, Vec<E>) =
            rest.conditions.iter().partition(|&&c| inner.iter().all(|&axis| !self.program.depends_on(c, axis)));
        if !rest.inside || known.is_empty() {
            return follows(emitter, rest);
        }
        rest.conditions = later;
        let tests: Vec<String> = known.iter().map(|&c| emitter.scalar(c)).collect();
        emitter.open(format!("if ({})", tests.join(" && ")));
        follows(emitter, rest.clone());
        emitter.close();
        rest.inside = false;
        rest.strips.clear();
        emitter.open("else");
        follows(emitter, rest);
        emitter.close();
    }

    /// Emits what does not change in the loops that are left; tests the conditions and does the stores that can be.
    pub(super) fn walk(&self, emitter: &mut Emitter<'_>, rest: Rest) {
        self.test_known(emitter, rest, &|emitter, rest| self.walk_on(emitter, rest));
    }

    fn walk_on(&self, emitter: &mut Emitter<'_>, mut rest: Rest) {
        self.store_along_row(emitter, &mut rest);
        self.prepare(emitter, &mut rest);
        let inner = &self.order[rest.depth..];
        let (now, later): (Vec<Store>, Vec<Store>) = rest
            .stores
            .iter()
            .partition(|store| inner.iter().all(|&axis| !self.program.depends_on(store.offset, axis)));
        rest.stores = later;
        for store in &now {
            if rest.inside { emitter.store(store) } else { emitter.store_zero(store) }
        }
        if let Some(&axis) = inner.first()
            && !rest.stores.is_empty()
        {
            let extent = emitter.scalar(self.program.axis(axis).extent);
            self.run(emitter, rest, "0", &extent);
        }
    }

    /// Emits the values that do not change in the loops that are left.
    fn prepare(&self, emitter: &mut Emitter<'_>, rest: &mut Rest) {
        let inner: BTreeSet<AxisId> = self.order[rest.depth..].iter().copied().collect();
        if rest.inside {
            for store in &rest.stores {
                self.settle(emitter, store.value, &inner);
            }
        }
    }

    /// Emits the parts of an expression that depend on none of some axes, with their loads: the loops over these axes are
    /// not empty.
    pub(super) fn settle(&self, emitter: &mut Emitter<'_>, e: E, inner: &BTreeSet<AxisId>) {
        self.settle_parts(emitter, e, inner, &mut BTreeSet::new());
    }

    fn settle_parts(&self, emitter: &mut Emitter<'_>, e: E, inner: &BTreeSet<AxisId>, seen: &mut BTreeSet<E>) {
        let program = &self.program;
        if !seen.insert(e) {
            return;
        }
        if program.free_axes(e).is_disjoint(inner) {
            if !emitter.knows(e) {
                self.settle_reductions(emitter, e);
            }
            emitter.value(e);
        } else if !matches!(program.node(e), Node::Reduce { .. }) && !emitter.knows(e) {
            program.operands(e).into_iter().for_each(|x| self.settle_parts(emitter, x, inner, seen));
        }
    }

    /// Emits the reductions in an expression, those inside of others first, so that none is computed at every step of another.
    pub(super) fn settle_reductions(&self, emitter: &mut Emitter<'_>, e: E) {
        for reduction in self.program.reductions([e]) {
            let here = self.program.free_axes(reduction).iter().all(|axis| self.order.contains(axis));
            if !here || emitter.knows(reduction) {
                continue;
            }
            match self.rows.iter().find(|(row, _, _)| *row == reduction) {
                Some(&(_, axis, lanes)) => self.row(emitter, reduction, axis, lanes),
                None => drop(emitter.value(reduction)),
            }
        }
    }

    /// A loop over the axis at a depth; after others, where it is a row of which windows are read.
    fn run(&self, emitter: &mut Emitter<'_>, rest: Rest, first: &str, last: &str) {
        self.make_row(emitter, &rest, first, last);
        self.run_once(emitter, rest, first, last);
    }

    pub(super) fn run_once(&self, emitter: &mut Emitter<'_>, rest: Rest, first: &str, last: &str) {
        if self.run_block(emitter, &rest, first, last) {
            return;
        }
        let axis = self.order[rest.depth];
        let index = emitter.index_type();
        let mut below = Rest { depth: rest.depth + 1, ..rest.clone() };
        below.settled.extend(self.settle_lanes(emitter, &rest));
        below.settled.extend(self.settle_positions(emitter, &rest));
        if let Some(row) = self.windows.as_ref().filter(|row| self.order.get(below.depth) == Some(&row.first())) {
            return self.run_ahead(emitter, row, below, first, last);
        }
        if self.run_sliding(emitter, &below, first, last)
            || self.run_cells(emitter, &below, first, last)
            || self.run_inside(emitter, &below, first, last)
        {
            return;
        }
        if below.depth == self.fixed
            && let Some(next) = self.next_in_pairs()
        {
            return self.run_rows_in_pairs(emitter, below, next, [first, last]);
        }
        if let Some(row) = self.first_of_row(&below, axis) {
            return self.run_rows(emitter, below, row, [first, last]);
        }
        let position = emitter.fresh("i");
        let Some((_, lanes)) = self.lanes.filter(|(lane_axis, _)| *lane_axis == axis) else {
            if matches!(self.program.node(self.program.axis(axis).extent), Node::Index(2..=turns::MOST)) {
                emitter.line("#pragma unroll");
            }
            emitter.open(format!("for ({index} {position} = {first}; {position} < {last}; ++{position})"));
            self.bind(emitter, axis, &position, &below);
            self.walk(emitter, below);
            emitter.close();
            return;
        };
        if rest.inside && self.covers(axis) {
            return self.strips(emitter, below, axis, first, lanes);
        }
        let (strip_lanes, inside) = (self.strip * lanes, rest.inside);
        // Chunks are whole vectors as well.
        let is_filled =
            matches!(self.program.node(self.program.axis(axis).extent), Node::Index(extent) if extent % lanes == 0);
        emitter.line(format!("{index} {position} = {first};"));
        emitter.open(format!("while ({position} < {last})"));
        let in_strips = inside
            && (self.strip > 1
                || self.chains(&rest, axis) > 1
                || self.has_twins(&rest, axis)
                || rest.inside_along.is_some()
                || self.picks_any(&self.across(&rest, axis)));
        if in_strips {
            self.open_if_inside(emitter, &rest, axis, &position, last, strip_lanes);
            self.strips(emitter, below.clone(), axis, &position, lanes);
            emitter.line(format!("{position} += {strip_lanes};"));
            emitter.line("continue;");
            emitter.close();
        }
        if !is_filled {
            self.last_two(emitter, &below, &position, last);
        }
        let depends = |c: &E| self.program.depends_on(*c, axis);
        let conditions: Vec<E> = below.conditions.iter().copied().filter(|c| !depends(c)).collect();
        let is_padded = rest.inside && !self.lane_conditions(&rest, axis).is_empty();
        // Where a vector is partly padding, narrower ones are one or the other.
        let widths: Vec<i64> = [lanes, lanes / 2, lanes / 4].into_iter().filter(|&width| width >= 4).collect();
        let widths = if is_padded { &widths[..] } else { &widths[..1] };
        for (inside, &width) in [true, false].into_iter().flat_map(|inside| widths.iter().map(move |w| (inside, w))) {
            match inside {
                // A strip of one vector was all there is to it.
                true if in_strips && width == strip_lanes => continue,
                true => self.open_if_inside(emitter, &rest, axis, &position, last, width),
                false if is_padded => self.open_if_outside(emitter, &rest, axis, &position, last, width),
                false => continue,
            }
            emitter.set_lanes(Some((axis, width as usize)));
            let vector = match inside {
                true => Rest { conditions: conditions.clone(), ..below.clone() },
                false => Rest { conditions: Vec::new(), inside, ..below.clone() },
            };
            self.bind(emitter, axis, &position, &vector);
            self.walk(emitter, vector);
            emitter.set_lanes(None);
            emitter.line(format!("{position} += {width};"));
            emitter.line("continue;");
            emitter.close();
        }
        if is_filled && !is_padded {
            return emitter.close();
        }
        if self.overlaps {
            emitter.open(format!("if ({position} > {first})"));
            emitter.line(format!("{position} = {last} - {lanes};"));
            emitter.line("continue;");
            emitter.close();
        }
        // What does not fill a vector, or is partly padding.
        let end = emitter.fresh("i");
        emitter.line(format!("const {index} {end} = min({position} + {lanes}, {last});"));
        emitter.open(format!("for (; {position} < {end}; ++{position})"));
        self.bind(emitter, axis, &position, &below);
        self.walk(emitter, below);
        emitter.close();
        emitter.close();
    }

    /// Opens a block for vectors that are whole and, all of them, no padding.
    fn open_if_inside(
        &self,
        emitter: &mut Emitter<'_>,
        rest: &Rest,
        axis: AxisId,
        position: &str,
        last: &str,
        count: i64,
    ) {
        let mut tests = vec![format!("{position} + {count} <= {last}")];
        if rest.inside {
            // Conditions hold up to some position, so they are tested at the last one.
            emitter.bind(axis, format!("({position} + {})", count - 1));
            tests.extend(self.lane_conditions(rest, axis).into_iter().map(|condition| emitter.scalar(condition)));
        }
        emitter.open(format!("if ({})", tests.join(" && ")));
    }

    /// Opens a block for vectors that are padding, all of them: what does not hold at the first position holds nowhere after it.
    fn open_if_outside(
        &self,
        emitter: &mut Emitter<'_>,
        rest: &Rest,
        axis: AxisId,
        position: &str,
        last: &str,
        count: i64,
    ) {
        emitter.bind(axis, position);
        let conditions = self.lane_conditions(rest, axis);
        let tests: Vec<String> = conditions.into_iter().map(|condition| emitter.scalar(condition)).collect();
        emitter.open(format!("if ({position} + {count} <= {last} && !({}))", tests.join(" && ")));
    }

    /// The conditions for being inside that change along an axis and in no loop inside of that over it.
    fn lane_conditions(&self, rest: &Rest, axis: AxisId) -> Vec<E> {
        let program = &self.program;
        let inner = &self.order[rest.depth + 1..];
        let known = |&c: &E| program.depends_on(c, axis) && !inner.iter().any(|&of| program.depends_on(c, of));
        rest.conditions.iter().copied().filter(known).collect()
    }

    /// Makes an axis stand at a position, and what is known there known.
    pub(super) fn bind(&self, emitter: &mut Emitter<'_>, axis: AxisId, position: &str, below: &Rest) {
        emitter.bind(axis, position);
        self.bind_kept(emitter, axis, position, below);
        below.settled.iter().filter(|_| below.inside).for_each(|settled| settled.define(emitter, axis, position));
    }

    /// Makes what is kept of a row known, from a position of its buffer on.
    pub(super) fn bind_kept(&self, emitter: &mut Emitter<'_>, axis: AxisId, position: &str, below: &Rest) {
        let vector = emitter.lane_count() > 1;
        if let Some(kept) = self.kept.as_ref().filter(|kept| kept.axis == axis && below.inside) {
            let loaded = emitter.fresh("v");
            let lanes = emitter.lane_count();
            emitter.line(if vector {
                format!("const float{lanes} {loaded} = vload{lanes}(0, kept + {position});")
            } else {
                format!("const float {loaded} = kept[{position}];")
            });
            emitter.define(kept.value, Value { text: loaded, vector });
        }
    }

    /// Makes the reductions of a strip known at one of its vectors.
    fn bind_strips(&self, emitter: &mut Emitter<'_>, below: &Rest, vector: &str) {
        for (e, name) in &below.strips {
            emitter.define(*e, Value { text: format!("{name}[{vector}]"), vector: true });
        }
    }

    /// Several vectors side by side: each step of a reduction serves all of them.
    fn strips(&self, emitter: &mut Emitter<'_>, mut below: Rest, axis: AxisId, first: &str, lanes: i64) {
        let program = &self.program;
        // One inside of another's loop is computed there.
        let here =
            |e: &E| program.depends_on(*e, axis) && program.free_axes(*e).iter().all(|free| self.order.contains(free));
        let roots: Vec<E> = below.stores.iter().map(|store| store.value).collect();
        let mut left: Vec<E> = program.reductions(roots).into_iter().filter(here).collect();
        while let Some(&next) = left.first() {
            let (alike, later) = left.iter().partition(|&&e| share_loops(program, next, e));
            left = later;
            self.accumulate(emitter, &mut below, (axis, first, lanes), alike);
            left.retain(|e| !below.strips.iter().any(|(made, _)| made == e));
        }
        let depends = |c: &E| program.depends_on(*c, axis);
        below.conditions.retain(|c| !depends(c));
        self.finish_strips(emitter, below, axis, first, lanes);
    }

    /// What is left to do for a strip of which the reductions are made.
    pub(super) fn finish_strips(&self, emitter: &mut Emitter<'_>, below: Rest, axis: AxisId, first: &str, lanes: i64) {
        if self.runs_across(&below) {
            return self.across_strips(emitter, below, (axis, first, lanes));
        }
        if !below.strips.is_empty() {
            self.unroll(emitter);
        }
        let bundle = self.bundle(&below, lanes);
        if bundle > 1 && self.takes_pairs(&below, axis) {
            return self.pairs(emitter, &below, axis, first, lanes);
        }
        if bundle > 1 {
            return self.bundles(emitter, &below, axis, first, lanes, bundle);
        }
        self.open_strip_and_ask(emitter, &below, axis, first, lanes);
        self.walk(emitter, below);
        emitter.set_lanes(None);
        emitter.close();
    }

    /// Asks for what a loop over a strip of vectors does to be written out, so that compilers keep them in registers.
    pub(super) fn unroll(&self, emitter: &mut Emitter<'_>) {
        if self.strip <= STRIP {
            emitter.line("#pragma unroll");
        }
    }

    pub(super) fn open_strip(&self, emitter: &mut Emitter<'_>, below: &Rest, axis: AxisId, first: &str, lanes: i64) {
        emitter.open(format!("for (int s = 0; s < {}; ++s)", self.strip));
        emitter.set_lanes(Some((axis, lanes as usize)));
        let position = match self.covers(axis) {
            true => self.covering(emitter, (axis, lanes)),
            false => format!("({first} + s * {lanes})"),
        };
        self.bind(emitter, axis, &position, below);
        self.bind_strips(emitter, below, "s");
    }

    /// The same where all axes have a position, and asks for what is read later.
    pub(super) fn open_strip_and_ask(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        axis: AxisId,
        first: &str,
        lanes: i64,
    ) {
        self.open_strip(emitter, below, axis, first, lanes);
        self.prefetch_rows(emitter, axis, 0);
        self.prefetch_page(emitter, axis, 0);
    }

    /// How many vectors of short elements fill a cache line, where nothing is left to do but to store them.
    fn bundle(&self, below: &Rest, lanes: i64) -> i64 {
        let narrow = |store: &Store| match self.program.tensor(store.tensor).data_type {
            DataType::Bf16 | DataType::F16 => self.program.ty(store.value) == Ty::F32,
            DataType::S8 | DataType::U8 => matches!(self.program.ty(store.value), Ty::F32 | Ty::S32),
            _ => false,
        };
        let [store] = &below.stores[..] else { return 1 };
        let along = self.order.last().is_some_and(|&axis| self.program.constant_step(store.offset, axis) == Some(1));
        let is_single =
            !below.conditions.is_empty() || lanes < 16 || self.order.last().is_some_and(|&of| self.covers(of));
        if below.depth < self.order.len() || is_single || !narrow(store) || !along {
            return 1;
        }
        (32 / self.program.tensor(store.tensor).data_type.bits() as i64).min(self.strip)
    }

    /// A strip of short elements, stored in whole cache lines.
    fn bundles(&self, emitter: &mut Emitter<'_>, below: &Rest, axis: AxisId, first: &str, lanes: i64, bundle: i64) {
        let store = &below.stores[0];
        emitter.open(format!("for (int s = 0; s < {}; s += {bundle})", self.strip));
        emitter.set_lanes(Some((axis, lanes as usize)));
        // Two vectors are rounded together to elements of bf16.
        let rounds = bundle == 2 && emitter.is_rounded_to_bf16(store);
        let element_type = if rounds { emitter.type_name(Ty::F32, true) } else { emitter.element_type(store) };
        let mut elements = Vec::new();
        for part in 0..bundle {
            let name = emitter.fresh("part");
            emitter.line(format!("{element_type} {name};"));
            emitter.open("");
            self.bind(emitter, axis, &format!("({first} + (s + {part}) * {lanes})"), below);
            self.bind_strips(emitter, below, &format!("s + {part}"));
            self.prefetch_rows(emitter, axis, part * lanes);
            self.prefetch_page(emitter, axis, part * lanes);
            let element = if rounds { Some(emitter.wide_value(store.value)) } else { emitter.elements(store) };
            if let Some(element) = element {
                emitter.line(format!("{name} = {element};"));
            }
            emitter.close();
            elements.push(name);
        }
        emitter.bind(axis, format!("({first} + s * {lanes})"));
        match &elements[..] {
            [a, b] if rounds => emitter.store_rounded(store, [a, b]),
            _ => emitter.store_elements(store, &elements),
        }
        emitter.set_lanes(None);
        emitter.close();
    }
}

/// Whether two reductions can be computed in the same loops.
pub(super) fn share_loops(program: &Program, a: E, b: E) -> bool {
    match (program.node(a), program.node(b)) {
        (Node::Reduce { axes, .. }, Node::Reduce { axes: other, .. }) => {
            axes == other && (a == b || (!contains(program, a, b) && program.reductions([b]).len() == 1))
        }
        _ => false,
    }
}

/// Whether an expression is part of another.
pub(super) fn contains(program: &Program, e: E, part: E) -> bool {
    let mut found = false;
    program.visit([e], &mut |x| found |= x == part);
    found
}
