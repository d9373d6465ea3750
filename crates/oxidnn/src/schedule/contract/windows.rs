//! Short windows that slide over images with lanes: depthwise convolutions.
//!
//! Nearly all of the time goes into reading. So a tile reaches in both directions of an image, and what the windows at its points
//! share is read once: each line of the image is brought to registers, where all lines of the tile use it that see it. Where there
//! are too few registers for that, they hold the window, and each element of a line is used for all sums before the next is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::epilogue::{SHORT_EPILOGUE, follow};
use super::kernel::exceeds_caches;
use super::{Contraction, LINE, blocks_in_text, presence};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil};

/// Points of a window, at most: over larger ones it takes longer to compute than to read. With strides other forms would read, and
/// convert, an element anew for each point of the window.
const MOST_TAPS: i64 = 9;
const MOST_TAPS_APART: i64 = 49;
/// How many times less has to be read than there are products.
const LESS_READ: i64 = 2;
/// Points of a tile, at most, and how long its lines are.
const MOST_POINTS: i64 = 16;
const LEAST_LINE: i64 = 4;
/// Points of an axis beside those of an image for each of which it is found out what counts there.
const FEW_PHASES: i64 = 8;
/// Registers that tiles leave to what compilers need, and those where elements come one at a time.
const SPARE: i64 = 4;
const SPARE_FOR_ELEMENTS: i64 = 2;
/// What a line of a tile costs beside what it reads, in vectors that are read: longer lines follow each other in memory.
const LINE_COST: f64 = 2.0;

/// What stays in registers beside the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    /// A line of the image.
    Line,
    /// What of the window fits.
    Window,
}

/// Tiles of a stage.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// The axes of lines and of the points of a line, and of the rest of the domain but columns.
    y: AxisId,
    x: AxisId,
    others: Vec<AxisId>,
    /// The window, and how far what is read is apart for neighbours along the tile and along the window, in both directions.
    taps: [AxisId; 2],
    apart: [[i64; 2]; 2],
    /// Lines of a tile and points of each; all tiles but the last of an image have these.
    lines: i64,
    points: i64,
    kept: Kept,
    /// Panels that a work-item computes for each tile, and how many tiles it has.
    panels: i64,
    steps: i64,
}

impl Windows {
    /// Whether a condition is about points of a line rather than lines.
    fn is_across(&self, program: &Program, condition: E) -> bool {
        program.depends_on(condition, self.x) || program.depends_on(condition, self.taps[1])
    }

    /// Products of a line that is read in the order in which they are computed: the number of one, and the point of its line.
    fn order(&self, products: &[Products]) -> Vec<(usize, usize)> {
        let points = |number: usize| (0..self.points as usize).map(move |point| (number, point));
        let mut all: Vec<(usize, usize)> = (0..products.len()).flat_map(points).collect();
        if self.kept == Kept::Window {
            all.sort_by_key(|&(number, point)| products[number].points[point]);
        }
        all
    }

    /// The tiles that suit a contraction, if it is of this form.
    pub fn of(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Windows> {
        let load = |factor: E| match *program.node(factor) {
            Node::Load { tensor, offset, .. } if !program.tensor(tensor).data_type.is_sub_byte() => Some(offset),
            _ => None,
        };
        let (offset, _) = load(c.broadcast).zip(load(c.vector))?;
        let conditions = presence::conditions(program, c.broadcast);
        let [others @ .., y, x] = &c.row_axes[..] else { return None };
        let [tap_y, tap_x] = c.reduced[..] else { return None };
        let columns = program.extent(c.columns)?;
        if !profile.clang_builtins
            || !c.is_lanewise(program)
            || !c.more.is_empty()
            || columns % c.lanes != 0
            || conditions.iter().any(|&condition| program.depends_on(condition, c.columns))
            || presence::conditions(program, c.vector)
                .iter()
                .any(|&e| [*y, *x, c.columns].iter().any(|&axis| program.depends_on(e, axis)))
        {
            return None;
        }
        let step = |axis: AxisId| program.step(offset, axis);
        // What so many windows side by side read.
        let reach = |count: i64, [along, tap]: [i64; 2], taps: i64| {
            let read = (0..count).flat_map(|at| (0..taps).map(move |number| at * along + number * tap));
            read.collect::<BTreeSet<i64>>().len() as i64
        };
        let apart = [[step(*y)?, step(tap_y)?], [step(*x)?, step(tap_x)?]];
        let window = [program.extent(tap_y)?, program.extent(tap_x)?];
        let most_taps = if apart[1][0] == apart[1][1] { MOST_TAPS } else { MOST_TAPS_APART };
        if window[0] * window[1] > most_taps {
            return None;
        }
        let registers = profile.vector_registers();
        let (height, width) = (program.extent(*y)?, program.extent(*x)?);
        let mut best: Option<(f64, i64, i64, Kept)> = None;
        for points in (LEAST_LINE..=MOST_POINTS.min(width)).filter(|points| width % points == 0) {
            for lines in 1..=(MOST_POINTS / points).min(height) {
                let (tall, wide) = (reach(lines, apart[0], window[0]), reach(points, apart[1], window[1]));
                let sums = lines * points;
                let kept = match lines > 1 && sums + wide + window[1] + SPARE <= registers {
                    true => Kept::Line,
                    false => Kept::Window,
                };
                if sums + SPARE_FOR_ELEMENTS > registers {
                    break;
                }
                if tall * wide * LESS_READ > lines * points * window[0] * window[1] {
                    continue;
                }
                let waste = (ceil(height, lines) * lines) as f64 / height as f64;
                let cost = waste * ((tall * wide) as f64 / lines as f64 + LINE_COST) / points as f64;
                if best.is_none_or(|(least, .., by)| (kept, cost) < (by, least)) {
                    best = Some((cost, lines, points, kept));
                }
            }
        }
        let (_, lines, points, kept) = best?;
        let sites = program.points(others)? * ceil(height, lines) * (width / points);
        let all = [columns / c.lanes, sites, program.points(&c.batch)?];
        let (panels, steps) = c.shares(program, profile, all, lines * points, true)?;
        let taps = [tap_y, tap_x];
        let windows =
            Windows { y: *y, x: *x, others: others.to_vec(), taps, apart, lines, points, kept, panels, steps };
        // Each condition is about one direction.
        let is_down = |e: E| program.depends_on(e, *y) || program.depends_on(e, tap_y);
        let mixed = conditions.iter().any(|&e| windows.is_across(program, e) && is_down(e));
        let linear = [*y, *x, tap_y, tap_x].iter().all(|&axis| program.is_linear(offset, axis));
        let lead_on = presence::lead_on(program, &conditions, offset, &[*y, *x, tap_y, tap_x]);
        (!mixed && linear && lead_on && presence::meet(program, &conditions, [*x, tap_x])).then_some(windows)
    }
}

/// A kernel in the making.
pub(super) struct Kernel<'a> {
    program: Program,
    stage: &'a Stage,
    c: &'a Contraction,
    windows: &'a Windows,
    panel: AxisId,
    lane: AxisId,
    /// Where tiles start.
    top: AxisId,
    left: AxisId,
    /// Where a line that is read starts.
    base: AxisId,
    /// What tells tiles of the same columns apart: the rest of the domain, and their numbers in both directions of an image.
    sites: Vec<AxisId>,
    down: E,
    across: E,
    panels: E,
    steps: E,
    /// The tile, and the one that is left at the end of an image.
    whole: Tile,
    rest: Option<Tile>,
    /// The tensor that is written past the caches. This is part of the text, as a choice between both ways at each store costs
    /// registers.
    past_caches: Option<TensorId>,
    /// Panels whose vectors are written one right after the other: those that fill a line of memory, where it is written past the
    /// caches.
    together: i64,
}

/// What a tile of some lines computes.
struct Tile {
    lines: i64,
    groups: Vec<Group>,
    elements: BTreeMap<i64, Element>,
}

impl Tile {
    /// The names of its sums, line by line.
    fn sums(&self, windows: &Windows) -> Vec<String> {
        let lines = 0..self.lines;
        lines.flat_map(|line| (0..windows.points).map(move |point| format!("acc{line}_{point}_"))).collect()
    }
}

/// Products that read the same line, which is there under some conditions.
struct Group {
    at: i64,
    conditions: Vec<E>,
    /// Where its part for the tile starts.
    start: E,
    products: Vec<Products>,
}

/// The products of one point of the window with a line of the tile.
struct Products {
    line: i64,
    vector: E,
    /// For each point of the line, where in the line that is read it finds what it is multiplied with.
    points: Vec<i64>,
}

/// An element of a line that is read, from where the line starts, and what makes it count.
pub(super) struct Element {
    pub factor: E,
    pub conditions: Vec<E>,
}

impl Element {
    /// Its value.
    pub fn value(&self, emitter: &mut Emitter<'_>) -> String {
        if self.conditions.is_empty() {
            return emitter.value(self.factor).text;
        }
        let all: Vec<String> = self.conditions.iter().map(|&condition| emitter.scalar(condition)).collect();
        emitter.value_or_zeros(&all.join(" && "), self.factor).text
    }
}

/// The offset of what lies some steps along axes from where a line starts. Such offsets are numbers where the steps are.
pub(super) fn along_line(p: &mut Program, offset: E, base: AxisId, lane: AxisId, steps: [(AxisId, i64); 2]) -> E {
    let (start, mut from) = (p.at(base), p.at(lane));
    for (axis, distance) in steps {
        let (step, _) = p.linear(offset, axis).expect("offsets are linear");
        let distance = p.index(distance);
        let by = p.mul(step, distance);
        from = p.add(from, by);
    }
    p.add(start, from)
}

impl<'a> Kernel<'a> {
    pub fn new(
        program: &Program,
        stage: &'a Stage,
        c: &'a Contraction,
        windows: &'a Windows,
        profile: &DeviceProfile,
    ) -> Kernel<'a> {
        let mut program = program.clone();
        let p = &mut program;
        let extent = |p: &Program, axis: AxisId| p.extent(axis).unwrap_or(0);
        let (height, width) = (extent(p, windows.y), extent(p, windows.x));
        let panel_count = p.param(extent(p, c.columns) / c.lanes);
        let lanes = p.index(c.lanes);
        let (panel, lane) = (p.add_axis("panel", panel_count), p.add_axis("lane", lanes));
        let (top, left) = (p.add_axis("top", p.axis(windows.y).extent), p.add_axis("left", p.axis(windows.x).extent));
        let [tall, wide] = [ceil(height, windows.lines), width / windows.points].map(|count| p.param(count));
        let (down, across) = (p.add_axis("tile", tall), p.add_axis("tile", wide));
        let sites = windows.others.iter().copied().chain([down, across]).collect();
        let [down, across] = [down, across].map(|axis| p.at(axis));
        let starts: Vec<i64> = (0..=height - windows.lines).step_by(windows.lines as usize).collect();
        let unknown = p.param(0);
        let base = p.add_axis("base", unknown);
        let place = Place { panel, lane, top, left, base };
        let whole = tile(p, c, windows, place, windows.lines, &starts);
        let left_over = height % windows.lines;
        let rest = (left_over > 0).then(|| tile(p, c, windows, place, left_over, &[height - left_over]));
        let in_line = |tensor: TensorId| (LINE / p.tensor(tensor).data_type.bytes(c.lanes as usize)).max(1) as i64;
        let past_caches = stage.stores.first().map(|store| store.tensor).filter(|&tensor| {
            let together = in_line(tensor);
            exceeds_caches(p, stage, profile)
                && windows.panels % together == 0
                && are_lines(p, stage, c, together * c.lanes)
        });
        let together = past_caches.map_or(1, in_line);
        let (panels, steps) = (p.param(windows.panels), p.param(windows.steps));
        Kernel {
            program,
            stage,
            c,
            windows,
            panel,
            lane,
            top,
            left,
            base,
            sites,
            down,
            across,
            panels,
            steps,
            whole,
            rest,
            past_caches,
            together,
        }
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, c, windows, .. } = self;
        // Of indices of 64 bits compilers make better addresses, where so many are needed at once.
        let mut emitter = Emitter::new(program, true);
        let index = emitter.index_type();
        if !c.batch.is_empty() {
            emitter.line(format!("const {index} batch = ({index})get_global_id(2);"));
            bind_linear(&mut emitter, program, &c.batch, "batch".into());
        }
        let extents: Vec<String> = self.sites.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let [steps, each] = [self.steps, self.panels].map(|e| emitter.scalar(e));
        let panels = emitter.scalar(program.axis(self.panel).extent);
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {each};"));
        emitter.line(format!("const {index} last = min(first + {each}, {panels});"));
        let sites = extents.join(" * ");
        match self.past_caches {
            Some(tensor) => {
                let line = program.tensor(tensor).data_type.bytes((self.together * c.lanes) as usize);
                let start = emitter.tensor_argument(tensor);
                emitter.open(format!("if (((size_t){start} & {}) == 0)", line - 1));
                emitter.set_streaming(Some("1".into()));
                emitter.set_aligned(true);
                self.emit_loops(&mut emitter, &steps, &sites);
                emitter.set_aligned(false);
                emitter.set_streaming(None);
                emitter.close();
                emitter.open("else");
                self.emit_loops(&mut emitter, &steps, &sites);
                emitter.close();
            }
            None => self.emit_loops(&mut emitter, &steps, &sites),
        }

        let points = |axes: &[AxisId]| program.points(axes).unwrap_or(0);
        let panels = ceil(points(&[c.columns]) / c.lanes, windows.panels);
        let sites = ceil(points(&self.sites), windows.steps);
        let global = [panels, sites, points(&c.batch)].map(|extent| extent as usize);
        let source = emitter.finish(stage.name, ONE_ITEM, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, NdRange { global, local: Some([1; 3]) })
    }

    /// Tiles of a work-item, and for each its panels.
    fn emit_loops(&self, emitter: &mut Emitter<'_>, steps: &str, sites: &str) {
        let Kernel { program, windows, .. } = self;
        let index = emitter.index_type();
        emitter.open(format!("for ({index} step = 0; step < {steps}; ++step)"));
        emitter.line(format!("const {index} site = ({index})get_global_id(1) * {steps} + step;"));
        emitter.line(format!("if (site >= {sites}) break;"));
        bind_linear(emitter, program, &self.sites, "site".into());
        for (name, start, number, size) in
            [("top", self.top, self.down, windows.lines), ("left", self.left, self.across, windows.points)]
        {
            let at = emitter.scalar(number);
            emitter.line(format!("const {index} {name} = {at} * {size};"));
            emitter.bind(start, name);
        }
        emitter.open(format!("for ({index} panel = first; panel < last; panel += {})", self.together));
        match &self.rest {
            Some(rest) => {
                let height = emitter.scalar(program.axis(windows.y).extent);
                emitter.open(format!("if (top + {} <= {height})", windows.lines));
                self.emit_tile(emitter, &self.whole);
                emitter.close();
                emitter.open("else");
                self.emit_tile(emitter, rest);
                emitter.close();
            }
            None => self.emit_tile(emitter, &self.whole),
        }
        emitter.close();
        emitter.close();
    }

    fn emit_tile(&self, emitter: &mut Emitter<'_>, tile: &Tile) {
        let together = self.together;
        if together == 1 {
            self.add_up(emitter, tile, "panel");
            self.store(emitter, tile);
            return;
        }
        let vector_type = self.vector_type(emitter);
        let sums = tile.sums(self.windows);
        emitter.line(format!("{vector_type} tile[{}];", sums.len() as i64 * together));
        emitter.open(format!("for (int part = 0; part < {together}; ++part)"));
        self.add_up(emitter, tile, "(panel + part)");
        for (number, sum) in sums.iter().enumerate() {
            emitter.line(format!("tile[{} + part] = {sum};", number as i64 * together));
        }
        emitter.close();
        self.store_rows(emitter, sums.len());
    }

    fn vector_type(&self, emitter: &mut Emitter<'_>) -> String {
        emitter.set_lanes(Some((self.lane, self.c.lanes as usize)));
        let name = emitter.type_name(self.program.ty(self.c.sum), true);
        emitter.set_lanes(None);
        name
    }

    /// The sums of a tile, for a panel.
    fn add_up(&self, emitter: &mut Emitter<'_>, tile: &Tile, panel: &str) {
        let Kernel { program, c, windows, .. } = self;
        let ty = program.ty(c.sum);
        emitter.set_lanes(Some((self.lane, c.lanes as usize)));
        emitter.bind(self.lane, "0");
        emitter.bind(self.panel, panel);
        let vector_type = emitter.type_name(ty, true);
        for line in 0..tile.lines {
            let names: Vec<String> = (0..windows.points).map(|point| format!("acc{line}_{point}_ = 0")).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
        for group in &tile.groups {
            let all: Vec<String> = group.conditions.iter().map(|&condition| emitter.scalar(condition)).collect();
            emitter.open(if all.is_empty() { String::new() } else { format!("if ({})", all.join(" && ")) });
            let (index, start) = (emitter.index_type(), emitter.scalar(group.start));
            let base = emitter.fresh("line");
            emitter.line(format!("const {index} {base} = {start};"));
            emitter.bind(self.base, base);
            let mut read: BTreeMap<i64, String> = BTreeMap::new();
            let mut columns: BTreeMap<usize, String> = BTreeMap::new();
            for (number, point) in windows.order(&group.products) {
                let Products { line, vector, points } = &group.products[number];
                let column = columns.entry(number).or_insert_with(|| emitter.wide_value(*vector)).clone();
                let at = points[point];
                let a = read.entry(at).or_insert_with(|| tile.elements[&at].value(emitter)).clone();
                let sum = format!("acc{line}_{point}_");
                emitter.line(if ty.is_float() {
                    format!("{sum} = fma(({vector_type})({a}), {column}, {sum});")
                } else {
                    format!("{sum} += {a} * {column};")
                });
            }
            emitter.close();
        }
        emitter.set_lanes(None);
    }

    /// What follows the sums: written out for each, or as a loop where it is long.
    fn store(&self, emitter: &mut Emitter<'_>, tile: &Tile) {
        let Kernel { program, stage, c, windows, .. } = self;
        let sums = tile.sums(windows);
        if follow(program, stage, c.sum) <= SHORT_EPILOGUE {
            for (number, sum) in sums.into_iter().enumerate() {
                let number = number as i64;
                let (line, point) = ((number / windows.points).to_string(), (number % windows.points).to_string());
                emitter.open("");
                self.store_point(emitter, &line, &point, "panel", sum);
                emitter.close();
            }
            return;
        }
        let vector_type = self.vector_type(emitter);
        emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", sums.len(), sums.join(", ")));
        self.store_rows(emitter, sums.len());
    }

    /// What follows so many sums in an array, those of panels that are stored together side by side.
    fn store_rows(&self, emitter: &mut Emitter<'_>, sums: usize) {
        let (points, together) = (self.windows.points, self.together);
        let (line, point) = (format!("r / {points}"), format!("r % {points}"));
        emitter.open(format!("for (int r = 0; r < {sums}; ++r)"));
        for part in 0..together {
            emitter.open("");
            let sum = format!("tile[r * {together} + {part}]");
            self.store_point(emitter, &line, &point, &format!("(panel + {part})"), sum);
            emitter.close();
        }
        emitter.close();
    }

    fn store_point(&self, emitter: &mut Emitter<'_>, line: &str, point: &str, panel: &str, sum: String) {
        let c = self.c;
        emitter.bind(self.windows.y, format!("(top + {line})"));
        emitter.bind(self.windows.x, format!("(left + {point})"));
        emitter.set_lanes(Some((c.columns, c.lanes as usize)));
        emitter.bind(c.columns, format!("({panel} * {})", c.lanes));
        emitter.define(c.sum, Value { text: sum, vector: true });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
    }
}

/// Whether a stage writes one tensor, by columns that lie side by side in so many at multiples of their size if it starts at one.
fn are_lines(program: &Program, stage: &Stage, c: &Contraction, width: i64) -> bool {
    let ([Store { offset, .. }], Some(columns)) = (&stage.stores[..], program.extent(c.columns)) else { return false };
    let at = |axis: AxisId, position: i64| {
        program.evaluate(*offset, &|other| Some(if other == axis { position } else { 0 })).map(|at| at % width)
    };
    let mut others = stage.axes.iter().filter(|&&axis| axis != c.columns);
    let steps = others.all(|&axis| program.is_linear(*offset, axis) && at(axis, 1) == Some(0));
    columns % width == 0 && steps && (0..columns).step_by(c.lanes as usize).all(|n| at(c.columns, n) == Some(n % width))
}

/// The axes that say where a tile is.
#[derive(Clone, Copy)]
struct Place {
    panel: AxisId,
    lane: AxisId,
    top: AxisId,
    left: AxisId,
    base: AxisId,
}

/// What a tile of so many lines computes that starts at one of some lines of an image.
fn tile(p: &mut Program, c: &Contraction, windows: &Windows, place: Place, lines: i64, starts: &[i64]) -> Tile {
    let conditions = presence::conditions(p, c.broadcast);
    let broadcast = presence::assume(p, c.broadcast, &conditions);
    let [vector, broadcast] = [c.vector, broadcast].map(|factor| blocks_in_text(p, factor, c.lanes));
    let first = {
        let (at, lanes) = (p.at(place.panel), p.index(c.lanes));
        p.mul(at, lanes)
    };
    let lane = p.at(place.lane);
    let column = p.add(first, lane);
    let width = p.extent(windows.x).unwrap_or(0);
    let across: Vec<i64> = (0..width).step_by(windows.points as usize).collect();
    // Whether it does wherever a tile starts, at each of a few points along another axis, such as the phases of a stride.
    let holds = |p: &Program, condition: E, axis: AxisId, starts: &[i64]| {
        let others: Vec<AxisId> = p.free_axes(condition).iter().copied().filter(|&free| free != axis).collect();
        let few = match others[..] {
            [] => Some(1),
            [other] => p.extent(other).filter(|&count| count <= FEW_PHASES),
            _ => None,
        };
        few.is_some_and(|few| {
            let at = |of: AxisId, start: i64, point: i64| if of == axis { start } else { point };
            let mut all = starts.iter().flat_map(|&start| (0..few).map(move |point| (start, point)));
            all.all(|(start, point)| p.holds(condition, &|of| Some(at(of, start, point))) == Some(true))
        })
    };
    let at = |p: &mut Program, axis: AxisId, distance: i64| {
        let (start, distance) = (p.at(axis), p.index(distance));
        p.add(start, distance)
    };
    let (by_line, by_element): (Vec<E>, Vec<E>) = conditions.into_iter().partition(|&e| !windows.is_across(p, e));
    let Node::Load { tensor, offset, ty, .. } = *p.node(broadcast) else { unreachable!("the factor is a load") };
    let [taps_y, taps_x] = windows.taps.map(|axis| p.extent(axis).unwrap_or(0));

    let mut elements = BTreeMap::new();
    for (point, tap) in (0..windows.points).flat_map(|point| (0..taps_x).map(move |tap| (point, tap))) {
        let place_of = point * windows.apart[1][0] + tap * windows.apart[1][1];
        if elements.contains_key(&place_of) {
            continue;
        }
        let steps = [(windows.x, point), (windows.taps[1], tap)];
        let offset = along_line(p, offset, place.base, place.lane, steps);
        let here = HashMap::from([(windows.x, at(p, place.left, point)), (windows.taps[1], p.index(tap))]);
        let asked: Vec<E> = by_element.iter().map(|&condition| p.substitute(condition, &here)).collect();
        let conditions = asked.into_iter().filter(|&e| !holds(p, e, place.left, &across)).collect();
        elements.insert(place_of, Element { factor: p.load(tensor, offset, ty), conditions });
    }

    let mut groups: Vec<Group> = Vec::new();
    for (line, tap) in (0..lines).flat_map(|line| (0..taps_y).map(move |tap| (line, tap))) {
        let line_at = line * windows.apart[0][0] + tap * windows.apart[0][1];
        let mut here = HashMap::from([
            (windows.y, at(p, place.top, line)),
            (windows.x, p.at(place.left)),
            (windows.taps[0], p.index(tap)),
            (windows.taps[1], p.index(0)),
            (c.columns, first),
        ]);
        let start = p.substitute(offset, &here);
        let asked: Vec<E> = by_line.iter().map(|&condition| p.substitute(condition, &here)).collect();
        let of_line: Vec<E> = asked.into_iter().filter(|&e| !holds(p, e, place.top, starts)).collect();
        here.insert(c.columns, column);
        let products = (0..taps_x).map(|tap| {
            here.insert(windows.taps[1], p.index(tap));
            let [along, across] = windows.apart[1];
            let points = (0..windows.points).map(|point| point * along + tap * across).collect();
            let vector = p.substitute(vector, &here);
            let asked = presence::conditions(p, vector);
            let sure: Vec<E> = asked.into_iter().filter(|&e| holds(p, e, place.top, &[0])).collect();
            Products { line, vector: presence::assume(p, vector, &sure), points }
        });
        let products: Vec<Products> = products.collect();
        match groups.iter_mut().find(|group| group.at == line_at && group.conditions == of_line) {
            Some(group) => group.products.extend(products),
            None => groups.push(Group { at: line_at, conditions: of_line, start, products }),
        }
    }
    groups.sort_by_key(|group| group.at);
    Tile { lines, groups, elements }
}
