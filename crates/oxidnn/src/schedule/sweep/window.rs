//! Windows along a row: a stage that reads neighbours of an element, where its result may take the element's place.
//!
//! What windows are read of is computed for a whole row first, in memory of the work-item with zeros on both sides. From there windows
//! are read without asking what is outside, and what is written meanwhile does not matter. That may need windows itself: a gradient sums what
//! neighbours hand out, each by the sum of its own neighbours. Each row that comes from memory is read before the one in front of it is
//! computed, and what takes windows of its own is computed a row ahead as well: a vector that was stored in two others can only be read once these
//! have left the processor.
//!
//! A row may lie in blocks. It is one in memory of the work-item. Windows of several dimensions are windows along rows of sums across them;
//! those are read of other rows, the places of which no result may take.

use super::emit::Rest;
use super::nest::nest;
use super::{Sweep, takes};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The longest row, in elements.
const LONGEST: i64 = 4096;
/// Zeros on either side; the most that windows reach.
const MARGIN: i64 = 32;

/// A row of the domain.
struct Along {
    /// The axes that it runs along, that of neighbours in memory last.
    axes: Vec<AxisId>,
    /// The element's position in it.
    at: E,
    length: i64,
}

/// A sum of neighbours.
struct Window {
    axis: AxisId,
    body: E,
    /// The neighbour's position in the row, and the conditions that it is inside.
    position: E,
    inside: [E; 2],
}

/// Rows in memory of the work-item.
#[derive(Debug)]
pub(super) struct Row {
    pub axes: Vec<AxisId>,
    size: usize,
    /// What is read of memory, and to where it is copied for the next row.
    ahead: Vec<(TensorId, Store)>,
    /// What is computed of those, a row at a time: where it is read, and to where it is written for the next row.
    between: Vec<(TensorId, Store)>,
    /// Whether the result reads nothing but what is computed in between, so that this is a row ahead, too.
    is_between_ahead: bool,
    /// Whether sums across rows are read.
    pub reads_across: bool,
}

/// The axis of the lanes, where a stage reads windows along them and nothing else of what its result may take the place of.
pub(in crate::schedule) fn windows_along(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<AxisId> {
    let row = Row::find(program, stage, profile)?;
    row.axes.last().copied().filter(|_| !row.reads_across)
}

/// The axis along which a stage may read windows: that of neighbours in memory.
fn lane_axis(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<AxisId> {
    let [store] = stage.stores[..] else { return None };
    if stage.bounds.is_some() || !takes(program, stage, profile) {
        return None;
    }
    stage.axes.iter().copied().find(|&axis| program.constant_step(store.offset, axis) == Some(1))
}

/// The row along which a stage reads windows, if it does.
fn find(program: &Program, stage: &Stage, lanes: AxisId) -> Option<Along> {
    let store = stage.stores.first()?;
    let outside = program.outside_of_reductions([store.value]);
    let (window, length) = outside.into_iter().find_map(|e| window(program, e, lanes))?;
    let at = apart_from(program, window.position, window.axis)?;
    let mut axes: Vec<(i64, AxisId)> = Vec::new();
    for &axis in stage.axes.iter().filter(|&&axis| program.depends_on(at, axis)) {
        axes.push((program.step(at, axis).filter(|_| program.is_linear(at, axis))?, axis));
    }
    axes.sort_by_key(|&(step, _)| -step);
    let mut points = 1;
    for &(step, axis) in axes.iter().rev() {
        points *= program.extent(axis).filter(|_| step == points)?;
    }
    let starts = program.evaluate(at, &|_| Some(0)) == Some(0);
    let axes: Vec<AxisId> = axes.into_iter().map(|(_, axis)| axis).collect();
    let fits = starts && points == length && (4..=LONGEST).contains(&length) && axes.last() == Some(&lanes);
    fits.then_some(Along { axes, at, length })
}

/// A reduction as a window that moves along the lanes; and the length of the row that it is on.
fn window(program: &Program, e: E, lanes: AxisId) -> Option<(Window, i64)> {
    let Node::Reduce { op: ReduceOp::Sum, axes, body } = program.node(e) else { return None };
    let (&[axis], body) = (&axes[..], *body) else { return None };
    let conditions = program.counts_where(ReduceOp::Sum, body);
    conditions.iter().find_map(|&low| {
        let Node::Binary(BinaryOp::Le, zero, position) = *program.node(low) else { return None };
        let moves = program.depends_on(position, lanes) && program.constant_step(position, axis) == Some(1);
        if *program.node(zero) != Node::Index(0) || !moves {
            return None;
        }
        conditions.iter().find_map(|&high| match *program.node(high) {
            Node::Binary(BinaryOp::Lt, of, end) if of == position => {
                Some((Window { axis, body, position, inside: [low, high] }, program.value(end)?))
            }
            _ => None,
        })
    })
}

/// Whether a reduction reads rows at the position of the element and asks for nothing that changes along them.
fn is_across(program: &Program, e: E, lanes: AxisId, is_in_row: impl Fn(E) -> bool) -> bool {
    let mut fits = true;
    program.visit([e], &mut |x| match *program.node(x) {
        Node::Load { offset, guard, .. } => {
            fits &= is_in_row(offset) && guard.is_none_or(|guard| !program.depends_on(guard, lanes));
        }
        _ => fits &= program.ty(x) != Ty::Bool || !program.depends_on(x, lanes),
    });
    fits
}

/// The part of an index that does not move along an axis, apart from what moves nowhere.
fn apart_from(program: &Program, e: E, axis: AxisId) -> Option<E> {
    if !program.depends_on(e, axis) {
        return (!program.free_axes(e).is_empty()).then_some(e);
    }
    let (Node::Binary(BinaryOp::Add, a, b) | Node::Binary(BinaryOp::Sub, a, b)) = *program.node(e) else { return None };
    apart_from(program, a, axis).or_else(|| apart_from(program, b, axis))
}

/// The making of rows.
struct Making<'p> {
    program: &'p mut Program,
    along: Along,
    /// What rows hold at the element's position, and where they are.
    rows: Vec<(E, TensorId)>,
    size: usize,
    reads_across: bool,
}

impl Making<'_> {
    /// An expression that reads windows of rows only.
    fn of_rows(&mut self, mut e: E) -> Option<E> {
        let Along { at, length, .. } = self.along;
        let lanes = *self.along.axes.last()?;
        let whole: Vec<E> = self.program.outside_of_reductions([e]).into_iter().collect();
        for part in whole {
            let program = &mut *self.program;
            let is_in_row = |offset: E| {
                let apart = self.along.axes.iter().all(|&axis| !program.depends_on(offset, axis));
                apart || program.constant_step(offset, lanes) == Some(1)
            };
            match *program.node(part) {
                Node::Reduce { .. } if is_across(program, part, lanes, is_in_row) => {
                    self.reads_across = true;
                    continue;
                }
                Node::Reduce { .. } => {}
                Node::Load { offset, .. } if !is_in_row(offset) => return None,
                _ => continue,
            }
            let (window, end) = window(program, part, lanes)?;
            if end != length || apart_from(program, window.position, window.axis) != Some(at) {
                return None;
            }
            // Windows at the ends of the row reach into the margins and no farther.
            let reach = |last: bool| {
                let at = |axis: AxisId| program.extent(axis).map(|extent| if last { extent - 1 } else { 0 });
                program.evaluate(window.position, &at)
            };
            if reach(false)? < -MARGIN || reach(true)? >= length + MARGIN {
                return None;
            }
            let holds = program.bool(true);
            let mut own = window.body;
            for condition in window.inside {
                own = program.replace(own, condition, holds);
            }
            own = program.replace(own, window.position, at);
            if program.depends_on(own, window.axis) || program.ty(own) != Ty::F32 {
                return None;
            }
            let own = self.of_rows(own)?;
            let row = self.row(own);
            let value = self.load(row, window.position);
            let sum = self.program.reduce(ReduceOp::Sum, vec![window.axis], value);
            e = self.program.replace(e, part, sum);
        }
        Some(e)
    }

    /// The row that holds a value of each element.
    fn row(&mut self, value: E) -> TensorId {
        if let Some(&(_, row)) = self.rows.iter().find(|(of, _)| *of == value) {
            return row;
        }
        let (row, _) = self.program.add_scratch("row", DataType::F32, self.size);
        self.rows.push((value, row));
        row
    }

    fn load(&mut self, row: TensorId, position: E) -> E {
        let offset = self.place(position);
        self.program.load(row, offset, Ty::F32)
    }

    fn place(&mut self, position: E) -> E {
        let margin = self.program.index(MARGIN);
        self.program.add(position, margin)
    }

    /// Whether a value is made of what is in a row.
    fn reads_rows(&self, value: E) -> bool {
        let mut found = false;
        self.program.visit([value], &mut |e| {
            if let Node::Load { tensor, .. } = self.program.node(e) {
                found |= self.rows.iter().any(|(_, row)| row == tensor);
            }
        });
        found
    }

    /// What a result reads of a row that lies in blocks is read before, too. Blocks are apart by powers of two: a processor that compares
    /// parts of addresses only takes what is written to one for what is read of the next.
    fn read_before(&mut self, mut e: E) -> E {
        let program = &*self.program;
        let is_far = |&load: &E| match program.node(load) {
            Node::Load { tensor, .. } => {
                let moves = self.along.axes.iter().any(|&axis| program.depends_on(load, axis));
                moves && program.ty(load) == Ty::F32 && !self.rows.iter().any(|(_, row)| row == tensor)
            }
            _ => false,
        };
        let far: Vec<E> = program.outside_of_reductions([e]).into_iter().filter(is_far).collect();
        if self.along.axes.len() == 1 {
            return e;
        }
        for load in far {
            let (row, at) = (self.row(load), self.along.at);
            let loaded = self.load(row, at);
            e = self.program.replace(e, load, loaded);
        }
        e
    }

    /// What a result needs of sums of windows that a row needs as well: it becomes a row, too.
    fn share(&mut self, mut e: E) -> E {
        let values: Vec<E> = self.rows.iter().map(|(value, _)| *value).collect();
        let needed = self.program.outside_of_reductions(values);
        let (mut shared, mut left) = (Vec::new(), vec![e]);
        while let Some(part) = left.pop() {
            let program = &*self.program;
            let sums = !program.reductions([part]).is_empty();
            if sums && needed.contains(&part) && program.ty(part) == Ty::F32 {
                shared.push(part);
            } else if sums && !matches!(program.node(part), Node::Reduce { .. }) {
                left.extend(program.operands(part));
            }
        }
        for part in shared {
            let (row, at) = (self.row(part), self.along.at);
            let loaded = self.load(row, at);
            e = self.program.replace(e, part, loaded);
        }
        e
    }
}

impl Row {
    /// The rows of a stage that reads windows.
    pub fn find(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Row> {
        let lanes = lane_axis(program, stage, profile)?;
        let is_window = |&e: &E| match *program.node(e) {
            Node::Reduce { op: ReduceOp::Sum, body, .. } => {
                program.counts_where(ReduceOp::Sum, body).iter().any(|&condition| program.depends_on(condition, lanes))
            }
            _ => false,
        };
        let outside = program.outside_of_reductions([stage.stores[0].value]);
        outside.iter().any(is_window).then(|| Row::of(&mut program.clone(), &mut stage.clone(), profile))?
    }

    /// The rows of a stage that reads windows; the stage reads them of these then.
    pub fn of(program: &mut Program, stage: &mut Stage, profile: &DeviceProfile) -> Option<Row> {
        let lanes = lane_axis(program, stage, profile)?;
        let mut nested = stage.clone();
        nest(program, &mut nested, lanes);
        let along = find(program, &nested, lanes)?;
        let size = ((along.length + 2 * MARGIN) as u64).next_power_of_two() as usize;
        let mut making = Making { program, along, rows: Vec::new(), size, reads_across: false };
        let value = making.of_rows(nested.stores[0].value)?;
        let value = making.share(value);
        let is_between = making.rows.iter().any(|&(value, _)| making.reads_rows(value));
        let made = making.rows.len();
        stage.stores[0].value = making.read_before(value);
        let at = making.along.at;
        let offset = making.place(at);
        let is_read: Vec<bool> = making.rows.iter().map(|&(value, _)| making.reads_rows(value)).collect();
        let Making { program, along, rows, reads_across, .. } = making;
        let (mut ahead, mut between) = (Vec::new(), Vec::new());
        for (number, (value, tensor)) in rows.into_iter().enumerate() {
            let is_early = number < made || !is_between;
            if is_early && !is_read[number] {
                let (next, _) = program.add_scratch("next", DataType::F32, size);
                ahead.push((tensor, Store { tensor: next, offset, value }));
            } else {
                let (next, _) = program.add_scratch("next", DataType::F32, size);
                between.push((tensor, Store { tensor: next, offset, value }));
            }
        }
        let reads = |of: &[E], tensor: TensorId| {
            let mut found = false;
            program.visit(of.iter().copied(), &mut |e| {
                found |= matches!(program.node(e), Node::Load { tensor: of, .. } if *of == tensor);
            });
            found
        };
        // All that is in between is computed in one pass.
        let values: Vec<E> = between.iter().map(|(_, store)| store.value).collect();
        if between.iter().any(|&(row, _)| reads(&values, row)) {
            return None;
        }
        let is_between_ahead =
            !between.is_empty() && !ahead.iter().any(|&(row, _)| reads(&[stage.stores[0].value], row));
        Some(Row { axes: along.axes, size, ahead, between, is_between_ahead, reads_across })
    }

    /// The axis of its outermost loop.
    pub fn first(&self) -> AxisId {
        self.axes[0]
    }

    /// Whether a tensor is one of its own.
    pub fn holds(&self, tensor: TensorId) -> bool {
        self.rows().any(|(read, next)| *read == tensor || next.tensor == tensor)
    }

    /// All that it is made by.
    pub fn stores(&self) -> impl Iterator<Item = Store> + '_ {
        self.rows().map(|(_, store)| *store)
    }

    fn rows(&self) -> impl Iterator<Item = &(TensorId, Store)> {
        self.ahead.iter().chain(&self.between)
    }
}

impl Sweep {
    /// Declares room for rows, all zeros.
    pub(super) fn declare_row(&self, emitter: &mut Emitter<'_>) {
        let Some(row) = &self.windows else { return };
        let tensors: Vec<TensorId> = row.rows().flat_map(|(read, next)| [*read, next.tensor]).collect();
        emitter.declare_private(&tensors, row.size);
    }

    /// Computes some of a row's numbers to where those of the next one are read.
    fn fill_rows(&self, emitter: &mut Emitter<'_>, rows: &[(TensorId, Store)], rest: &Rest, range: (&str, &str)) {
        if !rows.is_empty() {
            let stores = rows.iter().map(|(_, store)| *store).collect();
            self.run_once(emitter, Rest { stores, ..rest.clone() }, range.0, range.1);
        }
    }

    /// Makes the rows that were written those that are read.
    fn exchange_rows(&self, emitter: &mut Emitter<'_>, rows: &[(TensorId, Store)]) {
        for (read, next) in rows {
            let [read, copied] = [*read, next.tensor].map(|tensor| emitter.tensor_argument(tensor));
            let kept = emitter.fresh("kept");
            emitter.line(format!("float *{kept} = {read}; {read} = {copied}; {copied} = {kept};"));
        }
    }

    /// Brings about all that a row's windows are read of.
    pub(super) fn make_row(&self, emitter: &mut Emitter<'_>, rest: &Rest, first: &str, last: &str) {
        let Some(row) = self.windows.as_ref().filter(|row| row.first() == self.order[rest.depth]) else { return };
        let here = |rows: &Vec<(TensorId, Store)>, emitter: &mut Emitter<'_>| {
            self.fill_rows(emitter, rows, rest, (first, last));
            self.exchange_rows(emitter, rows);
        };
        if !rest.is_copied {
            here(&row.ahead, emitter);
        }
        if !rest.is_copied || !row.is_between_ahead {
            here(&row.between, emitter);
        }
    }

    /// A loop around rows of which windows are read.
    pub(super) fn run_ahead(&self, emitter: &mut Emitter<'_>, row: &Row, below: Rest, first: &str, last: &str) {
        let axis = self.order[below.depth - 1];
        let index = emitter.index_type();
        let extent = emitter.scalar(self.program.axis(row.first()).extent);
        let position = emitter.fresh("i");
        // Numbers of a later row, if there is one.
        let later = |emitter: &mut Emitter<'_>, rows: &[(TensorId, Store)], at: &str, by: usize, exchanges: bool| {
            let at = if by == 0 { at.to_string() } else { format!("({at} + {by})") };
            emitter.open(format!("if ({at} < {last})"));
            emitter.bind(axis, at);
            self.fill_rows(emitter, rows, &below, ("0", &extent));
            emitter.close();
            if exchanges {
                self.exchange_rows(emitter, rows);
            }
        };
        later(emitter, &row.ahead, first, 0, true);
        if row.is_between_ahead {
            later(emitter, &row.between, first, 0, true);
            later(emitter, &row.ahead, first, 1, true);
        }
        emitter.open(format!("for ({index} {position} = {first}; {position} < {last}; ++{position})"));
        if row.is_between_ahead {
            later(emitter, &row.ahead, &position, 2, false);
            later(emitter, &row.between, &position, 1, false);
        } else {
            later(emitter, &row.ahead, &position, 1, false);
        }
        self.bind(emitter, axis, &position, &below);
        self.walk(emitter, Rest { is_copied: true, ..below });
        self.exchange_rows(emitter, &row.ahead);
        if row.is_between_ahead {
            self.exchange_rows(emitter, &row.between);
        }
        emitter.close();
    }
}
