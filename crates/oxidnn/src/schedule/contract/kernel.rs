//! The text of a contraction's kernel.

use std::collections::HashMap;

use super::amx::{self, Amx};
use super::columns;
use super::dots::{self, Dot, Tail};
use super::epilogue;
use super::frame::Frame;
use super::loops::{self, Ahead, Loop, Row, Run};
use super::positions::Position;
use super::presence;
use super::rows::{self, Absent, Rows};
use super::streams::{self, Streams};
use super::{Contraction, LINE, Tile, blocks_in_text};
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil, needs_wide_indices};

/// One kernel in the making.
pub(super) struct Kernel {
    pub(super) program: Program,
    pub(super) stage: Stage,
    pub(super) c: Contraction,
    pub(super) tile: Tile,
    pub(super) width: i64,
    steps: E,
    panels_each: E,
    /// What distinguishes tiles of the same columns: axes that are not rows, and the number of the tile along the rows.
    sites: Vec<AxisId>,
    at_number: E,
    /// Columns are `panel * width + vector * lanes + lane`.
    pub(super) panel: AxisId,
    pub(super) lane: AxisId,
    pub(super) rows: Vec<Row>,
    pub(super) vectors: Vec<E>,
    pub(super) loops: Vec<Loop>,
    /// Whether the last loop is the innermost one, which no longer asks which rows count.
    pub(super) has_inner: bool,
    /// What makes all rows of a tile count at every step, where tiles mostly are like that.
    pub(super) interior: Option<E>,
    /// Whether the rows of a tile that count are neighbours.
    pub(super) neighbours: bool,
    /// Whether the innermost loop walks along rows.
    pub(super) lines: bool,
    /// The type of rows that are converted ahead of it.
    pub(super) converted: Option<DataType>,
    /// What is read in place of those that do not.
    pub(super) absent: Absent,
    /// Whether tiles end where the rows end.
    pub(super) exact: bool,
    /// How many tiles have all rows, and the kernel for the others.
    pub(super) full: Option<E>,
    shorter: Option<Box<Kernel>>,
    pub(super) edge: Edge,
    /// The tensors of rows with lanes that may reach beyond their ends in the last panel, and how many elements they have.
    past_end: Vec<(TensorId, E)>,
    /// The frame of the assembly, where groups are multiplied.
    pub(super) frame: Option<Frame>,
    /// Where the results of each row start that the frame stores, or that are asked for before its sums are computed, and whether they are.
    pub(super) results: Vec<E>,
    pub(super) asks_for_results: bool,
    /// The steps that a line of the frame's table may stand for.
    pub(super) run: Option<Run>,
    /// Whether tiles of groups are multiplied.
    pub(super) amx: Option<Amx>,
    /// Where vectors are asked for ahead of their use.
    pub(super) prefetch: Option<Vec<(TensorId, E)>>,
    /// The same for rows.
    pub(super) row_prefetch: Option<Vec<(TensorId, E)>>,
    /// Where rows will be read from in the end.
    later: Option<loops::Later>,
    /// Whether a work-item goes through so many panels that asking for those to come pays.
    pub(super) asks_ahead: bool,
    /// How the reduction is walked where memory sets the pace.
    pub(super) streams: Option<Streams>,
    /// One if results are written past the caches.
    pub(super) past_caches: Option<E>,
}

/// What happens at the last columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Panels end where the columns end.
    Exact,
    /// The vector factor can be read beyond the last column, up to a whole panel.
    Padded,
    /// It cannot; the last panel shares columns with the one before, or its last vector does, so that it ends with the last column.
    Overlapping,
    /// Nor may results be stored twice, or there are too few columns; the first column of what is left is this axis, the factors are these.
    Ragged { start: AxisId, vector: usize },
}

/// Bytes of a tensor that is hardly in a cache close by.
const FAR: i64 = 2 << 20;

/// Whether a tensor is that large.
pub(super) fn is_far(program: &Program, tensor: TensorId) -> bool {
    bytes(program, tensor) >= FAR
}

/// The size of a tensor, as far as it is known.
pub(super) fn bytes(program: &Program, tensor: TensorId) -> i64 {
    let tensor = program.tensor(tensor);
    let elements = match tensor.binding {
        Binding::Scratch { elements, .. } => elements,
        _ => tensor.elements.unwrap_or(0) as usize,
    };
    tensor.data_type.bytes(elements) as i64
}

/// Whether a stage had better write its results past the caches: little is computed, so memory sets the pace.
pub(super) fn exceeds_caches(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    let all: i64 = program.stage_tensors(stage).iter().map(|&(tensor, _)| bytes(program, tensor)).sum();
    all >= profile.cache_bytes as i64 * 3 / 2
}

impl Kernel {
    pub fn new(program: &Program, stage: &Stage, c: Contraction, tile: Tile, profile: &DeviceProfile) -> Kernel {
        let shorter = tile.full.map(|_| Tile { rows: tile.rows - 1, ..tile.clone() });
        let mut kernel = Kernel::of_one_size(program, stage, c, tile, profile);
        // Dot products leave out the last row.
        if let Some(tile) = shorter.filter(|_| kernel.frame.is_none()) {
            let shorter = Kernel::of_one_size(&kernel.program, stage, kernel.c.clone(), tile, profile);
            // It knows all that the other one does.
            kernel.program = shorter.program.clone();
            kernel.shorter = Some(Box::new(shorter));
        }
        kernel
    }

    /// A kernel whose tiles have the same number of rows, but for the last one.
    fn of_one_size(program: &Program, stage: &Stage, c: Contraction, tile: Tile, profile: &DeviceProfile) -> Kernel {
        let mut program = program.clone();
        let p = &mut program;
        let width = c.width(&tile);
        let steps = p.param(tile.steps);
        let columns = p.extent(c.columns).unwrap_or(0);
        let panels = p.param(ceil(columns, width));
        let panel = p.add_axis("panel", panels);
        let lanes = p.index(c.lanes);
        let lane = p.add_axis("lane", lanes);

        let (row_conditions, other_conditions) = loops::split_conditions(p, &c, &tile);
        let known = [row_conditions.clone(), other_conditions.clone()].concat();
        let mut factors: Vec<E> = c.vectors().map(|vector| presence::assume(p, vector, &known)).collect();
        let mut broadcast = presence::assume(p, c.broadcast, &known);
        if tile.slides {
            broadcast = blocks_in_text(p, broadcast, c.lanes);
            factors.iter_mut().for_each(|factor| *factor = blocks_in_text(p, *factor, c.lanes));
        }
        let vector = factors[0];
        let innermost = *c.reduced.last().expect("a sum runs over something");
        // The steps of a window that slides are written out, for what they share.
        let has_inner = !tile.slides && !row_conditions.iter().any(|&condition| p.depends_on(condition, innermost));

        let each = tile.vectors / c.sums();
        let first = {
            let (panel, width) = (p.at(panel), p.index(width));
            p.mul(panel, width)
        };
        let mut at_column = columns::from(p, &c, first, lane, each);
        let mut vectors = columns::vectors(p, &factors, &at_column);
        let edge = if columns % width == 0 {
            Edge::Exact
        } else if vectors.last().is_some_and(|&last| loops::stays_inside(p, last, panel, lane)) {
            Edge::Padded
        } else if columns >= c.lanes && !c.is_lanewise(p) && epilogue::can_overlap(p, stage, &c) {
            at_column = columns::overlapping(p, &c, first, lane, [each, width, columns]);
            vectors = columns::vectors(p, &factors, &at_column);
            Edge::Overlapping
        } else {
            let extent = p.axis(c.columns).extent;
            let start = p.add_axis("start", extent);
            let (first, lane) = (p.at(start), p.at(lane));
            at_column.push(HashMap::from([(c.columns, p.add(first, lane))]));
            vectors.extend(at_column.last().map(|column| p.substitute(vector, column)));
            Edge::Ragged { start, vector: vectors.len() - 1 }
        };
        let past_end = match at_column.last() {
            Some(column) if edge == Edge::Padded && c.is_lanewise(p) => {
                let last = p.substitute(broadcast, column);
                let reaching = loops::reaching(p, last, panel, lane);
                reaching.into_iter().map(|(tensor, elements)| (tensor, p.param(elements))).collect()
            }
            _ => Vec::new(),
        };
        let reads_panels = matches!(edge, Edge::Exact | Edge::Padded);
        let dot = c.dot.filter(|&dot| reads_panels && dots::is_grouped(p, &c, dot, width));
        let amx = c.amx.filter(|_| dot.is_some());
        let guarded = !row_conditions.is_empty();
        let frame = dot.filter(|_| amx.is_none()).map(|dot| Frame::of(p, stage, &c, dot, &tile, guarded, profile));
        let lanewise = c.is_lanewise(p);
        // A loop goes through the rows of tiles of groups.
        let rows: Vec<Row> = (0..if amx.is_some() { 1 } else { tile.rows })
            .map(|_| {
                let axes: Vec<AxisId> =
                    tile.row_axes.iter().map(|&axis| p.add_axis("row", p.axis(axis).extent)).collect();
                let at: HashMap<AxisId, E> =
                    tile.row_axes.iter().zip(&axes).map(|(&axis, &own)| (axis, p.at(own))).collect();
                let factor = p.substitute(broadcast, &at);
                let mut bases = Vec::new();
                let factors = if lanewise {
                    at_column.iter().map(|column| p.substitute(factor, column)).collect()
                } else if has_inner {
                    vec![loops::rebase(p, factor, innermost, &mut bases)]
                } else {
                    vec![factor]
                };
                let present = presence::all_of(p, &row_conditions, &at);
                Row { axes, factors, bases, present: (!row_conditions.is_empty()).then_some(present) }
            })
            .collect();
        let asks_for_results = frame.is_some()
            && profile.clang_builtins
            && is_far(p, stage.stores[0].tensor)
            && p.constant_step(stage.stores[0].offset, c.columns) == Some(1);
        let results: Vec<E> = rows
            .iter()
            .filter(|_| asks_for_results || frame.is_some_and(|frame| frame.stores.is_some()))
            .map(|row| {
                let mut at = at_column[0].clone();
                at.extend(tile.row_axes.iter().zip(&row.axes).map(|(&axis, &own)| (axis, p.at(own))));
                p.substitute(stage.stores[0].offset, &at)
            })
            .collect();
        let tail = frame.and_then(|frame| Tail::of(p, &c, frame.dot)).map(|tail| tail.condition);
        let asked: Vec<E> = other_conditions.into_iter().filter(|&condition| Some(condition) != tail).collect();
        let loops = loops::loops(p, &c.reduced, &asked);
        let run = frame.filter(|frame| frame.dot != Dot::Pairs).and_then(|_| Run::of(p, &loops, &rows, vectors[0]));
        let neighbours = rows::are_neighbours(p, &tile.row_axes, &row_conditions);
        let is_long = has_inner && loops.last().is_some_and(|inner| inner.short.is_none());
        let lines = has_inner && rows::are_lines(p, &c, &rows, DataType::F32);
        let converted = c.converted_rows(p, &tile, profile);
        let absent = if profile.clang_builtins { Absent::of(p, &c, &rows, has_inner) } else { Absent::Nothing };
        let is_cheap = (is_long && neighbours) || (tile.slides && absent == Absent::Vector);
        let interior =
            if is_cheap && frame.is_none() { None } else { loops::interior(p, &c, &tile, &row_conditions, &rows) };
        let which = Ahead::of(p, &c, &tile);
        let prefetch = profile.clang_builtins.then(|| loops::prefetches(p, &vectors, innermost, 1, which)).flatten();
        let row_prefetch = (profile.clang_builtins && !lanewise && has_inner)
            .then(|| loops::row_prefetches(p, &rows, innermost))
            .flatten();
        let later = profile.clang_builtins.then(|| loops::later(p, &c, &tile, broadcast, &rows)).flatten();
        let row_points = p.points(&tile.row_axes).unwrap_or(0);
        let exact = row_points % tile.rows == 0 || tile.full.is_some();
        let full = tile.full.map(|full| p.param(full));
        let tiles = p.param(ceil(row_points, tile.rows));
        let mut sites: Vec<AxisId> = c.row_axes.iter().copied().filter(|axis| !tile.row_axes.contains(axis)).collect();
        let number = p.add_axis("tile", tiles);
        sites.push(number);
        let panels_each = p.param(tile.panels);
        let asks_ahead = profile.clang_builtins && tile.panels >= rows::MANY_PANELS;
        let streams = match edge {
            Edge::Ragged { .. } => None,
            _ => streams::streams(p, &c, &tile, &vectors, &rows, profile),
        };
        // Stores of parts of lines would have memory read the rest.
        let streams_out = tile.slides && profile.clang_builtins && profile.vector_bytes >= LINE;
        let past_caches = streams_out.then(|| p.param(i64::from(exceeds_caches(p, stage, profile))));
        let stage = stage.clone();
        Kernel {
            stage,
            c,
            tile,
            width,
            steps,
            sites,
            panels_each,
            at_number: p.at(number),
            panel,
            lane,
            rows,
            vectors,
            loops,
            has_inner,
            interior,
            neighbours,
            lines,
            converted,
            absent,
            exact,
            full,
            shorter: None,
            edge,
            past_end,
            frame,
            results,
            asks_for_results,
            run,
            amx,
            prefetch,
            row_prefetch,
            streams,
            past_caches,
            asks_ahead,
            later,
            program,
        }
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, c, tile, width, .. } = self;
        // Loops over streams are short: widening their indices for each address would take longer than multiplying does.
        let wide = self.streams.is_some() || needs_wide_indices(program, stage);
        let mut emitter = Emitter::new(program, wide);
        self.past_end.iter().for_each(|&(tensor, elements)| emitter.set_end(tensor, elements));
        let index = emitter.index_type();
        let columns = emitter.scalar(program.axis(c.columns).extent);
        let row_extents: Vec<String> =
            tile.row_axes.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let row_count = if row_extents.is_empty() { "1".into() } else { row_extents.join(" * ") };
        emitter.line(format!("const {index} rows = {row_count};"));
        let steps = emitter.scalar(self.steps);
        if !tile.slides {
            emitter.line(format!("const {index} panel = ({index})get_global_id(0);"));
            let first = match self.edge {
                Edge::Overlapping => format!("max(min(panel * {width}, {columns} - {width}), ({index})0)"),
                _ => format!("panel * {width}"),
            };
            emitter.line(format!("const {index} n0 = {first};"));
        }
        if tile.whole_batch {
            let batch: Vec<String> = c.batch.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
            emitter.open(format!("for ({index} batch = 0; batch < {}; ++batch)", batch.join(" * ")));
        } else if !c.batch.is_empty() {
            emitter.line(format!("const {index} batch = ({index})get_global_id(2);"));
        }
        bind_linear(&mut emitter, program, &c.batch, "batch".into());
        let site_extents: Vec<String> =
            self.sites.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let sites = site_extents.join(" * ");
        match self.frame {
            Some(frame) => self.emit_groups(&mut emitter, frame, &steps, &sites, &columns),
            None => self.emit_steps(&mut emitter, &steps, &sites, &columns),
        }
        if tile.whole_batch {
            emitter.close();
        }

        let points = |axes: &[AxisId]| program.points(axes).unwrap_or(0);
        let (panels, sites) = (ceil(points(&[c.columns]), *width), ceil(points(&self.sites), tile.steps));
        let batch = if tile.whole_batch { 1 } else { points(&c.batch) };
        let global = [ceil(panels, tile.panels), sites, batch].map(|extent| extent as usize);
        let tensors = program.stage_tensors(stage);
        let source = emitter.finish(stage.name, ONE_ITEM, &tensors);
        Scheduled::new(program, "contract", source, NdRange { global, local: Some([1; 3]) })
    }

    /// Tiles of a work-item, one after another.
    fn emit_steps(&self, emitter: &mut Emitter<'_>, steps: &str, sites: &str, columns: &str) {
        let Kernel { program, tile, width, .. } = self;
        let index = emitter.index_type();
        if self.amx.is_some() {
            amx::open(emitter);
        }
        emitter.open(format!("for ({index} step = 0; step < {steps}; ++step)"));
        emitter.line(format!("const {index} site = ({index})get_global_id(1) * {steps} + step;"));
        emitter.line(format!("if (site >= {sites}) break;"));
        let number = self.bind_site(emitter);
        if tile.slides {
            let (each, panels) = (emitter.scalar(self.panels_each), emitter.scalar(program.axis(self.panel).extent));
            emitter.line(format!("const {index} first = ({index})get_global_id(0) * {each};"));
            let last = format!("min(first + {each}, {panels})");
            emitter.open(format!("for ({index} panel = first; panel < {last}; ++panel)"));
            emitter.line(format!("const {index} n0 = panel * {width};"));
        }
        match self.full.zip(self.shorter.as_deref()) {
            Some((full, shorter)) => {
                let full = emitter.scalar(full);
                emitter.open(format!("if ({number} < {full})"));
                self.emit_tile(emitter, columns);
                emitter.close();
                emitter.open("else");
                shorter.emit_tile(emitter, columns);
                emitter.close();
            }
            None => self.emit_tile(emitter, columns),
        }
        if tile.slides {
            emitter.close();
        }
        emitter.close();
        if self.amx.is_some() {
            amx::close(emitter);
        }
    }

    /// Finds what `site` stands for: the tile's number along the rows, which is returned, and its first row.
    pub(super) fn bind_site(&self, emitter: &mut Emitter<'_>) -> String {
        let (index, rows) = (emitter.index_type(), self.tile.rows);
        bind_linear(emitter, &self.program, &self.sites, "site".into());
        let number = emitter.scalar(self.at_number);
        match self.full {
            Some(full) => {
                let full = emitter.scalar(full);
                emitter.line(format!("const {index} m0 = {number} * {rows} - max({number} - {full}, ({index})0);"));
                if self.frame.is_some() {
                    emitter.line(format!("const int count = {number} < {full} ? {rows} : {};", rows - 1));
                }
            }
            None => emitter.line(format!("const {index} m0 = {number} * {rows};")),
        }
        number
    }

    /// A tile of all columns or of the last ones.
    fn emit_tile(&self, emitter: &mut Emitter<'_>, columns: &str) {
        let Kernel { c, tile, width, .. } = self;
        let index = emitter.index_type();
        let whole: Vec<usize> = (0..tile.vectors as usize).collect();
        match self.edge {
            Edge::Exact | Edge::Padded | Edge::Overlapping => {
                self.accumulate(emitter, &whole);
                self.store_tile(emitter, columns);
            }
            Edge::Ragged { start, vector } => {
                emitter.open(format!("if (n0 + {width} <= {columns})"));
                self.accumulate(emitter, &whole);
                self.store_vectors(emitter, &whole, "n0");
                emitter.close();
                emitter.open("else");
                emitter.line(format!("{index} rest = n0;"));
                if tile.vectors > 1 {
                    emitter.open(format!("for (; rest + {} <= {columns}; rest += {})", c.lanes, c.lanes));
                    emitter.bind(start, "rest");
                    self.accumulate(emitter, &[vector]);
                    self.store_vectors(emitter, &[vector], "rest");
                    emitter.close();
                }
                self.element_by_element(emitter, columns);
                emitter.close();
            }
        }
    }

    /// Sums all rows and the given vectors up.
    fn accumulate(&self, emitter: &mut Emitter<'_>, vectors: &[usize]) {
        let Kernel { program, c, tile, .. } = self;
        let ty = program.ty(c.sum);
        emitter.set_lanes(Some((self.lane, c.lanes as usize)));
        let vector_type = emitter.type_name(ty, true);
        emitter.bind(self.lane, "0");
        emitter.bind(self.panel, "panel");
        if let Some(amx) = self.amx {
            self.accumulate_tiles(emitter, amx);
            emitter.set_lanes(None);
            return;
        }
        if let Some(streams) = &self.streams {
            self.accumulate_streams(emitter, streams);
            emitter.set_lanes(None);
            return;
        }
        for r in 0..tile.rows {
            let names: Vec<String> = vectors.iter().map(|v| format!("acc{r}_{v}_ = 0")).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
        if let Some(later) = &self.later {
            emitter.open("");
            self.bind_clamped_rows(emitter);
            self.prefetch_rows(emitter, later);
            emitter.close();
        }
        match self.interior {
            Some(interior) => {
                self.bind_rows(emitter, |_| "1".into());
                let interior = emitter.scalar(interior);
                emitter.open(format!("if (m0 + {} <= rows && {interior})", tile.rows));
                self.reduce(emitter, vectors, Rows::All);
                emitter.close();
                emitter.open("else");
                self.bind_clamped_rows(emitter);
                self.reduce(emitter, vectors, Rows::Some);
                emitter.close();
            }
            None => {
                self.bind_clamped_rows(emitter);
                let decided = self.rows.iter().any(|row| row.present.is_some());
                let which = match decided {
                    false => Rows::All,
                    true if tile.slides && self.absent == Absent::Vector => Rows::Some,
                    true => Rows::Most,
                };
                self.reduce(emitter, vectors, which);
            }
        }
        emitter.set_lanes(None);
    }

    /// Asks for what rows will read at the end of the reduction while it starts.
    fn prefetch_rows(&self, emitter: &mut Emitter<'_>, later: &loops::Later) {
        let index = emitter.index_type();
        let extent = emitter.scalar(self.program.axis(later.of).extent);
        later.rows.iter().for_each(|&(_, offset)| emitter.hoist(offset, &[later.position]));
        emitter.open(format!("for ({index} later = 0; later < {extent}; later += {})", later.step));
        emitter.bind(later.position, "later");
        later.rows.iter().for_each(|&(tensor, offset)| emitter.prefetch(tensor, offset));
        emitter.close();
    }

    /// Rows beyond the last one repeat it; they are not stored.
    pub(super) fn bind_clamped_rows(&self, emitter: &mut Emitter<'_>) {
        self.bind_rows(emitter, |r| if self.exact { "1".into() } else { format!("m0 + {r} < rows") });
    }

    /// Binds the axes of rows to neighbouring positions; where one is not there, by a condition, to the one before it.
    fn bind_rows(&self, emitter: &mut Emitter<'_>, is_there: impl Fn(i64) -> String) {
        let mut position = Position::of(emitter, &self.program, &self.tile.row_axes, "m0");
        for (row, r) in self.rows.iter().zip(0..) {
            if r > 0 {
                position = position.next(emitter, &self.program, &is_there(r));
            }
            position.bind(emitter, &row.axes);
        }
    }

    /// Finds where the innermost loop starts to read a row.
    pub(super) fn bind_bases(&self, emitter: &mut Emitter<'_>, r: usize) {
        let index = emitter.index_type();
        for (i, &(base, start)) in self.rows[r].bases.iter().enumerate() {
            let start = emitter.scalar(start);
            emitter.line(format!("const {index} base{r}_{i}_ = {start};"));
            emitter.bind(base, format!("base{r}_{i}_"));
        }
    }

    pub(super) fn open_loop(&self, emitter: &mut Emitter<'_>, level: &Loop, name: &str) {
        let index = emitter.index_type();
        let extent = match level.short {
            Some(short) => short.to_string(),
            None => emitter.scalar(self.program.axis(level.axis).extent),
        };
        let (mut start, mut end) = ("0".to_string(), extent);
        for bound in &level.bounds {
            let [step, rest, limit] = [bound.step, bound.rest, bound.limit].map(|e| emitter.scalar(e));
            let text = bound.text(&step, &rest, &limit);
            let known = if bound.is_end() { &mut end } else { &mut start };
            let name = emitter.fresh("b");
            let function = if bound.is_end() { "min" } else { "max" };
            emitter.line(format!("const {index} {name} = {function}(({index})({text}), ({index}){known});"));
            *known = name;
        }
        emitter.open(format!("for ({index} {name} = {start}; {name} < {end}; ++{name})"));
        emitter.bind(level.axis, name);
        for &test in &level.tests {
            let test = emitter.scalar(test);
            emitter.line(format!("if (!({test})) continue;"));
        }
    }

    /// Asks what decides about all steps of the innermost loop, for those who do not open it: it has conditions that depend on no loop
    /// where it is the only one.
    pub(super) fn open_decided(&self, emitter: &mut Emitter<'_>, inner: &Loop) {
        debug_assert!(inner.bounds.is_empty(), "a condition depends on the innermost loop");
        let tests: Vec<String> = inner.tests.iter().map(|&test| emitter.scalar(test)).collect();
        emitter.open(if tests.is_empty() { String::new() } else { format!("if ({})", tests.join(" && ")) });
    }
}
