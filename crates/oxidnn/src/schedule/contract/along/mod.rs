//! Few columns: the lanes of a vector are steps of the sum.
//!
//! Where results have few columns these fill no vector. If what is summed lies side by side in both factors, each lane sums some of the steps, and
//! lanes are added up in the end. A tile has several rows, which share the columns they are multiplied with. [`dots`] has what short
//! numbers are multiplied by.

mod dots;

use std::collections::HashMap;

use self::dots::Dots;
use super::{Dot, Product, presence, products, spread};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil};

/// Rows of a tile, at most.
const MOST_ROWS: i64 = 8;
/// Loads in whose time a vector of a row is computed that is more than one.
const COMPUTED: i64 = 4;
/// Columns from which on a copy of rows in another type pays.
const MOST_COLUMNS: i64 = 24;
/// Rows from which on a copy of the columns pays.
const WORTH_ROWS: i64 = 16;
/// Work-items for each compute unit.
const ITEMS_A_UNIT: i64 = 8;

/// A sum of products seen in this way.
#[derive(Clone, Debug)]
pub(in crate::schedule) struct Along {
    sum: E,
    /// The factor with the rows, and the one with the columns.
    rows: E,
    pub columns: E,
    /// Whether the steps of the latter lie side by side.
    pub flat: bool,
    /// The axis whose steps are lanes, and what else is summed, the outermost loop first.
    steps: AxisId,
    loops: Vec<AxisId>,
    /// The axes of the rows of a tile and of all columns, where there are several.
    row: AxisId,
    column: Option<AxisId>,
    /// Rows and columns of a tile, components of a vector.
    tile: [i64; 2],
    lanes: i64,
    /// How groups of steps are multiplied, where they are.
    dots: Option<Dots>,
}

impl Along {
    /// Sees a stage in this way on a device, if that is possible.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Along> {
        if profile.device_type != DeviceType::Cpu || profile.vector_bytes < 16 {
            return None;
        }
        let (sums, reduced) = products(program, stage)?;
        let [ref product @ Product { sum, factors: [a, b] }] = sums[..] else { return None };
        if Dot::serves_few(program, stage, product, profile) {
            return None;
        }
        if !stage.axes.iter().all(|&axis| program.depends_on(sum, axis)) {
            return None;
        }
        let lanes = (profile.vector_bytes / 4).min(16) as i64;
        let seen = |rows: E, columns: E| Along::with(program, stage, profile, (sum, &reduced, lanes), rows, columns);
        seen(a, b).or_else(|| seen(b, a))
    }

    fn with(
        program: &Program,
        stage: &Stage,
        profile: &DeviceProfile,
        (sum, reduced, lanes): (E, &[AxisId], i64),
        rows: E,
        columns: E,
    ) -> Option<Along> {
        let conditions = presence::conditions(program, rows);
        let (by_rows, by_columns) = (program.free_axes(rows), program.free_axes(columns));
        let own: Vec<AxisId> = stage.axes.iter().copied().filter(|axis| !by_rows.contains(axis)).collect();
        let count = program.points(&own)?;
        let column = own.first().copied();
        let is_single = count == 1 && conditions.is_empty();
        let most = if is_converted(program, rows, columns) { MOST_COLUMNS } else { lanes };
        if own.len() > 1 || count >= most || is_single || !presence::conditions(program, columns).is_empty() {
            return None;
        }
        let steps = reduced.iter().copied().find(|&axis| {
            let long = program.extent(axis).is_some_and(|extent| extent >= lanes);
            long && walks(program, rows, axis, lanes) && by_columns.contains(&axis)
        })?;
        spread::plain(program, columns)?;
        let row = stage.axes.iter().copied().rfind(|axis| !by_columns.contains(axis))?;
        let all_rows = program.points(stage.axes.iter().filter(|axis| !by_columns.contains(axis)))?;
        let flat = walks(program, columns, steps, lanes);
        let decides = conditions.iter().any(|&condition| program.depends_on(condition, steps));
        if decides || all_rows <= count || (!flat && all_rows < WORTH_ROWS) {
            return None;
        }
        let loops: Vec<AxisId> = reduced.iter().copied().filter(|&axis| axis != steps).collect();
        let (length, height) = (program.extent(steps)?, program.extent(row)?);
        let dots = Dots::of(program, sum, rows, columns, length, profile)
            .filter(|_| flat && loops.is_empty() && conditions.is_empty());
        // Each lane has its share of the products.
        let shares = program.points(reduced)? / lanes + 1;
        if dots.is_none() && !spread::is_exact(program, sum, [rows, columns], shares) {
            return None;
        }
        let cost = if spread::plain(program, rows).is_some() { 1 } else { COMPUTED };
        let tile = match dots {
            Some(dots) => dots.tile(height, count, profile)?,
            None => tile(profile.vector_registers(), height, count, cost)?,
        };
        Some(Along { sum, rows, columns, flat, steps, loops, row, column, tile, lanes, dots })
    }

    /// The axes of the factor with the columns, such that steps lie side by side where the last axis is the innermost.
    pub fn flat_axes(&self, program: &Program) -> Vec<AxisId> {
        let mut axes: Vec<AxisId> = program.free_axes(self.columns).iter().copied().collect();
        let depth = |axis: &AxisId| match self.loops.iter().position(|of| of == axis) {
            Some(depth) => 1 + depth,
            None if *axis == self.steps => 1 + self.loops.len(),
            None => 0,
        };
        axes.sort_by_key(depth);
        axes
    }
}

/// Whether a factor is read along an axis, one element after another: a load, or one times numbers of groups of whole vectors.
fn walks(program: &Program, factor: E, axis: AxisId, lanes: i64) -> bool {
    if let Some(offset) = spread::plain(program, factor) {
        return program.is_linear(offset, axis) && program.step(offset, axis) == Some(1);
    }
    let whole = program.extent(axis).is_some_and(|extent| extent % lanes == 0);
    let (mut moving, mut fits) = (0, whole && program.ty(factor) == Ty::F32);
    program.visit([factor], &mut |e| match *program.node(e) {
        Node::Load { guard: Some(_), .. } | Node::Reduce { .. } => fits = false,
        Node::Load { tensor, offset, .. }
            if program.depends_on(offset, axis) && !is_steady(program, offset, axis, lanes) =>
        {
            let in_bytes = !program.tensor(tensor).data_type.is_sub_byte() || program.is_even(offset, axis);
            moving += 1;
            fits &= in_bytes && program.is_linear(offset, axis) && program.step(offset, axis) == Some(1);
        }
        _ => {}
    });
    fits && moving == 1
}

/// Whether rows become what columns are only when they are multiplied, so that a copy of them would take more memory than they do.
fn is_converted(program: &Program, rows: E, columns: E) -> bool {
    let bits = |factor: E| match *program.node(factor) {
        Node::Load { tensor, .. } => Some(program.tensor(tensor).data_type.bits()),
        _ => None,
    };
    bits(rows).is_none_or(|rows| bits(columns).is_some_and(|columns| rows < columns))
}

/// Whether an offset is the same for all lanes of each vector along an axis.
fn is_steady(program: &Program, offset: E, axis: AxisId, lanes: i64) -> bool {
    let at = |step: i64| program.evaluate(offset, &|other| Some(if other == axis { step } else { 0 }));
    let extent = program.extent(axis).unwrap_or(0);
    (0..extent / lanes).all(|vector| {
        let ends = [vector * lanes, vector * lanes + lanes - 1].map(at);
        ends[0].is_some() && ends[0] == ends[1]
    })
}

/// The rows and columns that need the fewest loads, where that of a row counts for some.
fn tile(registers: i64, rows: i64, columns: i64, cost: i64) -> Option<[i64; 2]> {
    let fits = |[r, c]: &[i64; 2]| r * c + r.min(c) < registers;
    let loads = |&[r, c]: &[i64; 2]| (ceil(columns, c) * (cost * r + c)) as f64 / r as f64;
    (1..=columns)
        .flat_map(|c| (1..=rows.min(MOST_ROWS)).map(move |r| [r, c]))
        .filter(fits)
        .min_by(|a, b| loads(a).total_cmp(&loads(b)))
}

/// A kernel in the making.
pub(super) struct Kernel<'a> {
    program: Program,
    stage: &'a Stage,
    s: &'a Along,
    /// The step of a lane, and that of the first one of a vector.
    places: [AxisId; 2],
    /// What tells tiles apart, the number of a tile along the rows, and the tiles of a work-item.
    sites: Vec<AxisId>,
    number: E,
    tiles: E,
    global: [usize; 3],
    /// Where each row starts, and what makes it count; where each column does.
    rows: Vec<Line>,
    columns: Vec<Line>,
    /// Conditions that are asked in loops.
    tests: Vec<E>,
}

/// A row or a column of a tile.
struct Line {
    /// Its position.
    at: Option<AxisId>,
    /// What it is read from at a step of the outer loops, if it is a load of whole bytes, and the vector at a step from there on.
    start: Option<(AxisId, E)>,
    vector: E,
    present: Vec<E>,
}

impl<'a> Kernel<'a> {
    pub fn new(program: &Program, stage: &'a Stage, s: &'a Along, profile: &DeviceProfile) -> Kernel<'a> {
        let mut program = program.clone();
        let p = &mut program;
        let lanes = p.index(s.lanes);
        let places = [p.add_axis("lane", lanes), p.add_axis("vector", p.axis(s.steps).extent)];
        let (by_row, tests) = presence::conditions(p, s.rows)
            .into_iter()
            .partition::<Vec<E>, _>(|&condition| p.depends_on(condition, s.row));
        let [rows, columns] = s.tile;
        let rows = (0..rows).map(|_| line(p, s, s.rows, places, Some(s.row), &by_row)).collect();
        let columns = (0..columns).map(|_| line(p, s, s.columns, places, s.column, &[])).collect();
        let mut sites: Vec<AxisId> = stage.axes.clone();
        sites.retain(|&axis| axis != s.row && Some(axis) != s.column);
        let count = p.param(ceil(p.extent(s.row).unwrap_or(0), s.tile[0]));
        let number = p.add_axis("tile", count);
        sites.push(number);
        let site_count = p.points(&sites).unwrap_or(0);
        let each = ceil(site_count, ITEMS_A_UNIT * profile.compute_units.max(1) as i64).max(1);
        let (number, tiles) = (p.at(number), p.param(each));
        let global = [ceil(site_count, each) as usize, 1, 1];
        Kernel { stage, s, places, sites, number, tiles, global, rows, columns, tests, program }
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, s, .. } = self;
        let mut emitter = Emitter::new(program, true);
        let index = emitter.index_type();
        let tiles = emitter.scalar(self.tiles);
        let extents: Vec<String> = self.sites.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let height = emitter.scalar(program.axis(s.row).extent);
        let width = s.column.map_or(format!("({index})1"), |axis| emitter.scalar(program.axis(axis).extent));
        let sites = extents.join(" * ");
        match s.dots {
            Some(dots) => self.emit_dots(&mut emitter, dots, [&tiles, &sites, &height, &width]),
            None => self.emit_tiles(&mut emitter, [&tiles, &sites, &height, &width]),
        }
        let source = emitter.finish(stage.name, ONE_ITEM, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, NdRange { global: self.global, local: Some([1; 3]) })
    }

    /// Tiles of a work-item, one after another; `sites` is how many there are, along `height` rows and `width` columns.
    fn emit_tiles(&self, emitter: &mut Emitter<'_>, [tiles, sites, height, width]: [&str; 4]) {
        let (index, [rows, columns]) = (emitter.index_type(), self.s.tile);
        emitter.open(format!("for ({index} tile = 0; tile < {tiles}; ++tile)"));
        emitter.line(format!("const {index} site = ({index})get_global_id(0) * {tiles} + tile;"));
        emitter.line(format!("if (site >= {sites}) break;"));
        bind_linear(emitter, &self.program, &self.sites, "site".into());
        let number = emitter.scalar(self.number);
        emitter.line(format!("const {index} m0 = {number} * {rows};"));
        emitter.open(format!("for ({index} n0 = 0; n0 < {width}; n0 += {columns})"));
        self.bind_lines(emitter, height, width);
        self.accumulate(emitter);
        let is_integer = self.program.ty(self.s.sum) == Ty::S32;
        self.store(emitter, height, width, |r, c| match is_integer {
            true => format!("convert_int{}(acc{r}_{c}_)", self.s.lanes),
            false => format!("acc{r}_{c}_"),
        });
        emitter.close();
        emitter.close();
    }

    /// Binds rows and columns of a tile to their positions; those beyond the last one repeat it, and are not stored.
    fn bind_lines(&self, emitter: &mut Emitter<'_>, height: &str, width: &str) {
        let index = emitter.index_type();
        for (r, row) in self.rows.iter().enumerate() {
            emitter.line(format!("const {index} m{r}_ = min(m0 + {r}, {height} - 1);"));
            row.at.iter().for_each(|&axis| emitter.bind(axis, format!("m{r}_")));
        }
        for (c, column) in self.columns.iter().enumerate() {
            emitter.line(format!("const {index} n{c}_ = min(n0 + {c}, {width} - 1);"));
            column.at.iter().for_each(|&axis| emitter.bind(axis, format!("n{c}_")));
        }
    }

    /// Finds where rows and columns are read from.
    fn bind_starts(&self, emitter: &mut Emitter<'_>) {
        let index = emitter.index_type();
        for (base, start) in self.rows.iter().chain(&self.columns).filter_map(|line| line.start) {
            let (name, start) = (emitter.fresh("base"), emitter.scalar(start));
            emitter.line(format!("const {index} {name} = {start};"));
            emitter.bind(base, name);
        }
    }

    /// The type of a sum.
    fn sum_type(&self) -> &'static str {
        if self.program.ty(self.s.sum) == Ty::S32 { "int" } else { "float" }
    }

    fn accumulate(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, s, .. } = self;
        let names = (0..s.tile[0]).flat_map(|r| (0..s.tile[1]).map(move |c| format!("acc{r}_{c}_ = 0")));
        emitter.line(format!("float{} {};", s.lanes, names.collect::<Vec<String>>().join(", ")));
        let opened = super::loops::open_all(emitter, program, &s.loops, &self.tests);
        self.bind_starts(emitter);
        let present: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let all: Vec<String> = row.present.iter().map(|&condition| emitter.scalar(condition)).collect();
                all.join(" && ")
            })
            .collect();
        let all: Vec<usize> = (0..self.rows.len()).collect();
        if present.iter().all(String::is_empty) {
            self.multiply(emitter, &all);
        } else {
            emitter.open(format!("if ({})", present.join(" && ")));
            self.multiply(emitter, &all);
            emitter.close();
            emitter.open("else");
            for (r, present) in present.iter().enumerate() {
                emitter.open(format!("if ({present})"));
                self.multiply(emitter, &[r]);
                emitter.close();
            }
            emitter.close();
        }
        (0..opened).for_each(|_| emitter.close());
    }

    /// The innermost loop for some rows.
    fn multiply(&self, emitter: &mut Emitter<'_>, rows: &[usize]) {
        let Kernel { program, s, .. } = self;
        let (index, lanes) = (emitter.index_type(), s.lanes);
        let length = emitter.scalar(program.axis(s.steps).extent);
        emitter.open("");
        emitter.line(format!("{index} k = 0;"));
        emitter.open(format!("for (; k + {lanes} <= {length}; k += {lanes})"));
        self.step(emitter, rows, |value| value);
        emitter.close();
        if program.extent(s.steps).is_some_and(|extent| extent % lanes != 0) {
            // The last vector overlaps the one before it; those lanes count no more.
            emitter.open(format!("if (k < {length})"));
            let numbers: Vec<String> = (0..lanes).map(|lane| lane.to_string()).collect();
            let (numbers, integers) = (numbers.join(", "), format!("int{lanes}"));
            let first = format!("({integers})((int)(k + {lanes} - {length}))");
            emitter.line(format!("const {integers} counts = ({integers})({numbers}) >= {first};"));
            emitter.line(format!("k = {length} - {lanes};"));
            self.step(emitter, rows, |value| format!("as_float{lanes}(as_int{lanes}({value}) & counts)"));
            emitter.close();
        }
        emitter.close();
    }

    /// A vector of steps.
    fn step(&self, emitter: &mut Emitter<'_>, rows: &[usize], part: impl Fn(String) -> String) {
        let (lanes, [lane, vector]) = (self.s.lanes, self.places);
        emitter.set_lanes(Some((lane, lanes as usize)));
        emitter.bind(lane, "k");
        emitter.bind(vector, "k");
        let mut load = |name: String, line: &Line| {
            let value = part(emitter.wide_value(line.vector));
            emitter.line(format!("const float{lanes} {name} = {value};"));
        };
        self.columns.iter().enumerate().for_each(|(c, column)| load(format!("b{c}_"), column));
        for &r in rows {
            load(format!("a{r}_"), &self.rows[r]);
        }
        for &r in rows {
            for c in 0..self.columns.len() {
                emitter.line(format!("acc{r}_{c}_ = fma(a{r}_, b{c}_, acc{r}_{c}_);"));
            }
        }
        emitter.set_lanes(None);
    }

    /// Adds the lanes of sums up, and what follows.
    fn store(&self, emitter: &mut Emitter<'_>, height: &str, width: &str, sum: impl Fn(i64, i64) -> String) {
        let s = self.s;
        let [rows, columns] = s.tile;
        let scalar = self.sum_type();
        emitter.line(format!("{scalar} sums[{}];", rows * columns));
        for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            let mut sum = sum(r, c);
            let mut lanes = s.lanes;
            while lanes > 1 {
                lanes /= 2;
                let half = emitter.fresh("h");
                let half_type = if lanes > 1 { format!("{scalar}{lanes}") } else { scalar.into() };
                let whole = emitter.fresh("h");
                emitter.line(format!("const {scalar}{} {whole} = {sum};", 2 * lanes));
                emitter.line(format!("const {half_type} {half} = {whole}.lo + {whole}.hi;"));
                sum = half;
            }
            emitter.line(format!("sums[{}] = {sum};", r * columns + c));
        }
        emitter.open(format!("for (int r = 0; r < {rows} && m0 + r < {height}; ++r)"));
        emitter.bind(s.row, "(m0 + r)");
        emitter.open(format!("for (int c = 0; c < {columns} && n0 + c < {width}; ++c)"));
        s.column.iter().for_each(|&axis| emitter.bind(axis, "(n0 + c)"));
        emitter.define(s.sum, Value { text: format!("sums[r * {columns} + c]"), vector: false });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}

/// A row or a column with an axis of its own.
fn line(p: &mut Program, s: &Along, factor: E, places: [AxisId; 2], axis: Option<AxisId>, conditions: &[E]) -> Line {
    let at = axis.map(|axis| p.add_axis("line", p.axis(axis).extent));
    let here: HashMap<AxisId, E> = axis.zip(at).map(|(axis, at)| (axis, p.at(at))).into_iter().collect();
    let present = conditions.iter().map(|&condition| p.substitute(condition, &here)).collect();
    let [lane, vector] = places.map(|axis| p.at(axis));
    let (Node::Load { tensor, .. }, Some(offset)) = (p.node(factor).clone(), spread::plain(p, factor)) else {
        return Line { at, start: None, vector: value(p, s, factor, here, [lane, vector]), present };
    };
    let mut first = here.clone();
    first.insert(s.steps, p.index(0));
    let start = p.substitute(offset, &first);
    let unknown = p.param(0);
    let base = p.add_axis("base", unknown);
    let base_at = p.at(base);
    let from = p.add(base_at, lane);
    Line { at, start: Some((base, start)), vector: p.load(tensor, from, Ty::F32), present }
}

/// What a row that is no load of whole bytes is at a vector of steps. Numbers of groups are those of its first lane.
fn value(p: &mut Program, s: &Along, factor: E, here: HashMap<AxisId, E>, [lane, vector]: [E; 2]) -> E {
    let mut steady = Vec::new();
    p.visit([factor], &mut |e| {
        if let Node::Load { offset, .. } = *p.node(e)
            && p.depends_on(offset, s.steps)
            && is_steady(p, offset, s.steps, s.lanes)
        {
            steady.push(offset);
        }
    });
    let mut factor = factor;
    for offset in steady {
        let first = p.substitute(offset, &HashMap::from([(s.steps, vector)]));
        factor = p.replace(factor, offset, first);
    }
    let mut at = here;
    at.insert(s.steps, lane);
    p.substitute(factor, &at)
}
