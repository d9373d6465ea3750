//! Sums for all points of a window at once: gradients by the weights of depthwise convolutions.
//!
//! Both factors have lanes, and there are few sums for each vector of columns: all of them stay in registers while a work-item
//! walks over the images. Where the columns of many panels lie side by side it takes turns between panels after some lines,
//! so that memory is read as it lies.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::windows::{Element, along_line};
use super::{Contraction, blocks_in_text, presence, side_by_side};
use crate::codegen::opencl::Emitter;
use crate::codegen::opencl::Value;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil};

/// Steps of the innermost loop that are taken at once: windows at neighbouring positions share what they read.
const MOST_UNROLLED: i64 = 8;
const LEAST_UNROLLED: i64 = 4;
/// Steps of a reduction from which on this pays, if there are fewer sums than that.
const WORTH_STEPS: i64 = 32;
/// Panels of a work-item, at most.
const MOST_PANELS: i64 = 8;
/// Multiplications for each panel's turn, at least: a turn loads and stores all of its sums.
const A_TURN: i64 = 512;
/// Work-items for each compute unit.
const ITEMS_A_UNIT: i64 = 4;
/// Steps of a piece, at least.
const SHORTEST_PIECE: i64 = 512;

/// How a window's sums are computed.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Taps {
    /// The axes of the window, and how many points they have.
    axes: Vec<AxisId>,
    count: i64,
    /// Axes of rows that are not part of it.
    others: Vec<AxisId>,
    /// The loops, the innermost last.
    reduced: Vec<AxisId>,
    /// Steps of the innermost one that are taken at once.
    unrolled: i64,
    /// Panels that a work-item has, and whether it takes turns between them.
    panels: i64,
    turns: bool,
}

impl Taps {
    /// Whether a contraction has this form.
    pub fn of(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Taps> {
        let Node::Reduce { axes: reduced, .. } = program.node(c.sum).clone() else { return None };
        let (&line, _) = reduced.split_last()?;
        let across = *c.row_axes.last()?;
        let plain = |factor: E| match *program.node(factor) {
            Node::Load { tensor, offset, .. } => {
                let linear = [line, across].iter().all(|&axis| program.is_linear(offset, axis));
                (linear && !program.tensor(tensor).data_type.is_sub_byte()).then_some(offset)
            }
            _ => None,
        };
        let (_, offset) = plain(c.vector).zip(plain(c.broadcast))?;
        let conditions = [c.vector, c.broadcast].map(|factor| presence::conditions(program, factor)).concat();
        let plain = presence::lead_on(program, &conditions, offset, &[line, across])
            && !conditions.iter().any(|&condition| program.depends_on(condition, c.columns));
        let columns = program.extent(c.columns)?;
        if !profile.clang_builtins
            || !c.is_lanewise(program)
            || !c.more.is_empty()
            || !plain
            || columns % c.lanes != 0
            || program.points(&reduced)? < WORTH_STEPS.max(c.row_count(program)? + 1)
        {
            return None;
        }
        let most = if profile.vector_bytes >= 64 { 16 } else { 9 };
        let (mut first, mut count) = (c.row_axes.len(), 1);
        while first > 0 && count * program.extent(c.row_axes[first - 1])? <= most {
            first -= 1;
            count *= program.extent(c.row_axes[first])?;
        }
        let line = program.extent(line)?;
        if count <= 1 || line < LEAST_UNROLLED {
            return None;
        }
        let unrolled = (LEAST_UNROLLED..=MOST_UNROLLED).rev().find(|size| line % size == 0).unwrap_or(LEAST_UNROLLED);
        let others = c.row_axes[..first].to_vec();
        let panels = columns / c.lanes;
        let apart = panels * program.points(&others)? * program.points(&c.batch)?;
        let items = ITEMS_A_UNIT * profile.compute_units.max(1) as i64;
        let each = (apart / items).clamp(1, MOST_PANELS);
        let turns = each > 1 && side_by_side(program, c);
        Some(Taps { axes: c.row_axes[first..].to_vec(), count, others, reduced, unrolled, panels: each, turns })
    }

    /// The length of pieces of the outermost loop such that there are enough work-items, each with all panels that lie side by
    /// side.
    pub fn pieces(&self, program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<(AxisId, i64)> {
        let (&axis, inner) = self.reduced.split_first()?;
        let panels = program.extent(c.columns)? / c.lanes;
        let together = if side_by_side(program, c) { panels.min(MOST_PANELS) } else { 1 };
        let items = ceil(panels, together) * program.points(&self.others)? * program.points(&c.batch)?;
        let wanted = ITEMS_A_UNIT * profile.compute_units.max(1) as i64;
        let (extent, steps) = (program.extent(axis)?, program.points(inner)?);
        let enough = |size: i64| items * (extent / size) >= wanted;
        let fits = |size: i64| extent % size == 0 && size * steps >= SHORTEST_PIECE;
        let sizes: Vec<i64> = (1..=extent / 2).filter(|&size| fits(size)).collect();
        let size = sizes.iter().rev().copied().find(|&size| enough(size)).or(sizes.first().copied())?;
        (items < wanted).then_some((axis, size))
    }
}

/// A kernel in the making.
pub(super) struct Kernel<'a> {
    program: Program,
    stage: &'a Stage,
    c: &'a Contraction,
    taps: &'a Taps,
    panel: AxisId,
    lane: AxisId,
    /// Where the steps that are taken at once start.
    block: AxisId,
    /// Lines of a turn.
    lines: E,
    /// Where the lines that are read start.
    base: AxisId,
    /// The first factor: where its line starts, and what each step reads.
    start: E,
    vectors: Vec<E>,
    /// The lines of the other one, and what they have in common: elements by their distance from where a line starts.
    lines_read: Vec<Line>,
    elements: BTreeMap<i64, Element>,
}

/// A line of the window: it counts under some conditions, and starts somewhere.
struct Line {
    conditions: Vec<E>,
    start: E,
    products: Vec<Product>,
}

/// What one step adds to one sum, in the order in which elements lie.
struct Product {
    at: i64,
    step: usize,
    tap: i64,
}

impl<'a> Kernel<'a> {
    pub fn new(program: &Program, stage: &'a Stage, c: &'a Contraction, taps: &'a Taps) -> Kernel<'a> {
        let mut program = program.clone();
        let p = &mut program;
        let columns = p.axis(c.columns).extent;
        let (panel, lane) = (p.add_axis("panel", columns), {
            let lanes = p.index(c.lanes);
            p.add_axis("lane", lanes)
        });
        let line = *taps.reduced.last().expect("a sum runs over something");
        let (&across, mut down) = taps.axes.split_last().expect("a window has axes");
        let block = p.add_axis("block", p.axis(line).extent);
        let base = p.add_axis("base", p.axis(line).extent);
        let first = {
            let (at, lanes) = (p.at(panel), p.index(c.lanes));
            p.mul(at, lanes)
        };
        let conditions = [c.vector, c.broadcast].map(|factor| presence::conditions(p, factor)).concat();
        let [vector, broadcast] = [c.vector, c.broadcast].map(|factor| {
            let factor = presence::assume(p, factor, &conditions);
            let factor = blocks_in_text(p, factor, c.lanes);
            let Node::Load { tensor, offset, ty, .. } = *p.node(factor) else { unreachable!("factors are loads") };
            (tensor, offset, ty)
        });
        let read = |p: &mut Program, (tensor, offset, ty): (TensorId, E, Ty), step: i64, tap: i64| {
            let offset = along_line(p, offset, base, lane, [(line, step), (across, tap)]);
            p.load(tensor, offset, ty)
        };
        let vectors = (0..taps.unrolled).map(|step| read(p, vector, step, 0)).collect();
        let here = HashMap::from([(c.columns, first), (line, p.at(block))]);
        let start = p.substitute(vector.1, &here);

        let mut width = p.extent(across).unwrap_or(1);
        if !presence::meet(p, &conditions, [line, across]) {
            // Points of the window lie below each other, so each has lines of its own.
            (width, down) = (1, &taps.axes);
        }
        let [along, apart] = [line, across].map(|axis| p.step(broadcast.1, axis).unwrap_or(0));
        let mut elements = BTreeMap::new();
        let mut products = Vec::new();
        for (step, tap) in (0..taps.unrolled).flat_map(|step| (0..width).map(move |tap| (step, tap))) {
            let at = step * along + tap * apart;
            products.push((at, step as usize, tap));
            if let Entry::Vacant(place) = elements.entry(at) {
                let (start, distance) = (p.at(block), p.index(step));
                let here = HashMap::from([(line, p.add(start, distance)), (across, p.index(tap))]);
                let asked: Vec<E> = conditions.iter().map(|&condition| p.substitute(condition, &here)).collect();
                let decides = |&e: &E| p.depends_on(e, block) && !always(p, e, taps.unrolled);
                let conditions = asked.into_iter().filter(decides).collect();
                place.insert(Element { factor: read(p, broadcast, step, tap), conditions });
            }
        }
        products.sort_unstable();
        let mut lines_read = Vec::new();
        for number in 0..taps.count / width {
            let mut here = here.clone();
            here.insert(across, p.index(0));
            let mut rest = number;
            for &axis in down.iter().rev() {
                let extent = p.extent(axis).unwrap_or(1);
                here.insert(axis, p.index(rest % extent));
                rest /= extent;
            }
            let asked: Vec<E> = conditions.iter().map(|&condition| p.substitute(condition, &here)).collect();
            let decides = |&e: &E| !p.depends_on(e, block) && !always(p, e, 1);
            let of_line = |&(at, step, tap): &(i64, usize, i64)| Product { at, step, tap: number * width + tap };
            lines_read.push(Line {
                conditions: asked.into_iter().filter(decides).collect(),
                start: p.substitute(broadcast.1, &here),
                products: products.iter().map(of_line).collect(),
            });
        }
        let per_line = p.extent(line).unwrap_or(1) * taps.count;
        let lines = p.param(ceil(A_TURN, per_line));
        Kernel { program, stage, c, taps, panel, lane, block, lines, base, start, vectors, lines_read, elements }
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, c, taps, .. } = self;
        // Of indices of 64 bits compilers make better addresses.
        let mut emitter = Emitter::new(program, true);
        let index = emitter.index_type();
        if !c.batch.is_empty() {
            emitter.line(format!("const {index} batch = ({index})get_global_id(2);"));
            bind_linear(&mut emitter, program, &c.batch, "batch".into());
        }
        if !taps.others.is_empty() {
            emitter.line(format!("const {index} site = ({index})get_global_id(1);"));
            bind_linear(&mut emitter, program, &taps.others, "site".into());
        }
        emitter.set_lanes(Some((self.lane, c.lanes as usize)));
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        emitter.bind(self.lane, "0");
        let columns = emitter.scalar(program.axis(c.columns).extent);
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {};", taps.panels));
        emitter.line(format!("const {index} panels = min(({index}){}, {columns} / {} - first);", taps.panels, c.lanes));
        emitter.line(format!("{vector_type} sums[{}];", taps.panels * taps.count));
        emitter.line(format!("for (int i = 0; i < {}; ++i) sums[i] = 0;", taps.panels * taps.count));
        let (&line, outer) = taps.reduced.split_last().expect("a sum runs over something");
        match outer.split_last() {
            Some((&lines, outer)) if taps.turns => {
                for (depth, &axis) in outer.iter().enumerate() {
                    self.open(&mut emitter, axis, &format!("o{depth}_"));
                }
                let (extent, each) = (emitter.scalar(program.axis(lines).extent), emitter.scalar(self.lines));
                emitter.open(format!("for ({index} start = 0; start < {extent}; start += {each})"));
                self.open_panels(&mut emitter);
                emitter.line(format!("const {index} end = min(start + {each}, {extent});"));
                emitter.open(format!("for ({index} y = start; y < end; ++y)"));
                emitter.bind(lines, "y");
                self.line(&mut emitter, line);
                emitter.close();
                self.close_panels(&mut emitter);
                emitter.close();
                outer.iter().for_each(|_| emitter.close());
            }
            _ => {
                self.open_panels(&mut emitter);
                for (depth, &axis) in outer.iter().enumerate() {
                    self.open(&mut emitter, axis, &format!("o{depth}_"));
                }
                self.line(&mut emitter, line);
                outer.iter().for_each(|_| emitter.close());
                self.close_panels(&mut emitter);
            }
        }
        emitter.set_lanes(None);
        emitter.open(format!("for ({index} i = 0; i < panels * {}; ++i)", taps.count));
        bind_linear(&mut emitter, program, &taps.axes, format!("(i % {})", taps.count));
        emitter.set_lanes(Some((c.columns, c.lanes as usize)));
        emitter.bind(c.columns, format!("((first + i / {}) * {})", taps.count, c.lanes));
        emitter.define(c.sum, Value { text: "sums[i]".into(), vector: true });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();

        let points = |axes: &[AxisId]| program.points(axes).unwrap_or(0);
        let panels = ceil(points(&[c.columns]) / c.lanes, taps.panels);
        let global = [panels, points(&taps.others), points(&c.batch)].map(|extent| extent as usize);
        let source = emitter.finish(stage.name, ONE_ITEM, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, NdRange { global, local: Some([1; 3]) })
    }

    fn open(&self, emitter: &mut Emitter<'_>, axis: AxisId, name: &str) {
        let (index, extent) = (emitter.index_type(), emitter.scalar(self.program.axis(axis).extent));
        emitter.open(format!("for ({index} {name} = 0; {name} < {extent}; ++{name})"));
        emitter.bind(axis, name);
    }

    /// The loop over panels, each of which takes up its sums.
    fn open_panels(&self, emitter: &mut Emitter<'_>) {
        let (index, vector_type) = (emitter.index_type(), emitter.type_name(self.program.ty(self.c.sum), true));
        emitter.open(format!("for ({index} p = 0; p < panels; ++p)"));
        emitter.bind(self.panel, "(first + p)");
        for tap in 0..self.taps.count {
            emitter.line(format!("{vector_type} acc{tap}_ = sums[p * {} + {tap}];", self.taps.count));
        }
    }

    fn close_panels(&self, emitter: &mut Emitter<'_>) {
        for tap in 0..self.taps.count {
            emitter.line(format!("sums[p * {} + {tap}] = acc{tap}_;", self.taps.count));
        }
        emitter.close();
    }

    /// The innermost loop: several steps at once, and those that are left.
    fn line(&self, emitter: &mut Emitter<'_>, line: AxisId) {
        let (index, extent) = (emitter.index_type(), emitter.scalar(self.program.axis(line).extent));
        let counts: Vec<Option<String>> = self
            .lines_read
            .iter()
            .map(|line| {
                let all: Vec<String> = line.conditions.iter().map(|&condition| emitter.scalar(condition)).collect();
                (!all.is_empty()).then(|| all.join(" && "))
            })
            .collect();
        let unrolled = self.taps.unrolled;
        emitter.line(format!("{index} x = 0;"));
        emitter.open(format!("for (; x + {unrolled} <= {extent}; x += {unrolled})"));
        self.steps(emitter, unrolled as usize, &counts);
        emitter.close();
        if self.program.extent(line).is_none_or(|extent| extent % unrolled != 0) {
            emitter.open(format!("for (; x < {extent}; ++x)"));
            self.steps(emitter, 1, &counts);
            emitter.close();
        }
    }

    fn steps(&self, emitter: &mut Emitter<'_>, steps: usize, counts: &[Option<String>]) {
        let ty = self.program.ty(self.c.sum);
        let vector_type = emitter.type_name(ty, true);
        emitter.bind(self.block, "x");
        self.open_line(emitter, self.start);
        let columns: Vec<String> = self.vectors[..steps].iter().map(|&vector| emitter.wide_value(vector)).collect();
        for (line, counts) in self.lines_read.iter().zip(counts) {
            emitter.open(counts.as_ref().map_or(String::new(), |counts| format!("if ({counts})")));
            self.open_line(emitter, line.start);
            let mut read = None;
            for Product { at, step, tap } in line.products.iter().filter(|product| product.step < steps) {
                let a = match read.take() {
                    Some((place, name)) if place == at => name,
                    _ => self.elements[at].value(emitter),
                };
                let (column, sum) = (&columns[*step], format!("acc{tap}_"));
                emitter.line(if ty.is_float() {
                    format!("{sum} = fma(({vector_type})({a}), {column}, {sum});")
                } else {
                    format!("{sum} += {a} * {column};")
                });
                read = Some((at, a));
            }
            emitter.close();
        }
    }

    /// Says where a line starts that is read.
    fn open_line(&self, emitter: &mut Emitter<'_>, start: E) {
        let (index, start, name) = (emitter.index_type(), emitter.scalar(start), emitter.fresh("line"));
        emitter.line(format!("const {index} {name} = {start};"));
        emitter.bind(self.base, name);
    }
}

/// Whether a condition on one position holds wherever that is a multiple of a step, or in the last few positions that are not.
fn always(program: &Program, condition: E, step: i64) -> bool {
    let free = program.free_axes(condition);
    let (1, Some(&axis)) = (free.len(), free.first()) else { return false };
    let Some(extent) = program.extent(axis) else { return false };
    let starts = (0..extent).filter(|at| at % step == 0 || *at >= extent / step * step);
    starts.into_iter().all(|at| program.holds(condition, &|of| (of == axis).then_some(at)) == Some(true))
}
