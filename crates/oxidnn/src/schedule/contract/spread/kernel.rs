//! The text of tiles whose lanes are columns of several groups.

use std::collections::BTreeMap;

use super::tile::{Element, Part, Place, Tile, tile, vector_key};
use super::{Spread, quads};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::contract::epilogue::{SHORT_EPILOGUE, follow};
use crate::schedule::contract::{loops, presence};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil};

/// Work-items for each compute unit.
const ITEMS_A_UNIT: i64 = 8;

/// The same where points are summed, and vectors of sums that grow together, at most.
const SUMS_A_UNIT: i64 = 4;
const MOST_SUMS: i64 = 320;
/// Tiles along the points that are summed before it is the turn of other sums.
const TILES_AT_ONCE: i64 = 16;

/// Keeps compilers from loading early what comes later, for which there are no registers.
const IN_ORDER: &str = "__asm__ volatile(\"\" ::: \"memory\");";

/// A kernel in the making.
pub(in crate::schedule::contract) struct Kernel<'a> {
    pub(super) program: Program,
    stage: &'a Stage,
    pub(super) s: &'a Spread,
    panels: E,
    pub(super) lane: AxisId,
    /// The first point of a tile, and where its parts of both factors start.
    start: AxisId,
    bases: [AxisId; 2],
    /// What tells tiles of the same columns apart, and the number of a tile along the points, where these are rows.
    sites: Vec<AxisId>,
    number: Option<E>,
    panels_each: E,
    steps: E,
    /// Conditions that are asked in loops.
    pub(super) tests: Vec<E>,
    /// The tile, and the one at the end of a line.
    whole: Tile,
    rest: Option<Tile>,
    /// Rows of a tile: those axes that are written out, and how many points each has.
    rows: Vec<(AxisId, i64)>,
    /// What stands for the sum in the stores.
    sum: E,
    stores: Vec<Store>,
    /// The axis that groups and their columns are walked as, and the stores in terms of it.
    merged: Option<(AxisId, Vec<Store>)>,
    /// Weights that lie in panels of their own, at a step of the loops, and where those of a panel start.
    pub(super) weights: Option<E>,
    pub(super) weights_start: Option<E>,
    /// How many numbers of work-items there are.
    global: [usize; 3],
}

impl<'a> Kernel<'a> {
    pub fn new(program: &Program, stage: &'a Stage, s: &'a Spread, profile: &DeviceProfile) -> Kernel<'a> {
        let mut program = program.clone();
        let p = &mut program;
        let extent = |p: &Program, axis: AxisId| p.extent(axis).unwrap_or(0);
        let unknown = p.param(0);
        let lanes = p.index(s.lanes);
        let lane = p.add_axis("lane", lanes);
        let start = p.add_axis("start", p.axis(s.points).extent);
        let bases = [0; 2].map(|_| p.add_axis("base", unknown));
        let unrolled = [Some(s.points), s.taps, s.channels];
        let (asked, tests) = presence::conditions(p, s.broadcast)
            .into_iter()
            .partition::<Vec<E>, _>(|&e| unrolled.iter().flatten().any(|&axis| p.depends_on(e, axis)));
        let width = extent(p, s.points);
        let left = width % s.count;
        let place = Place { lane, start, bases };
        let starts: Vec<i64> = (0..=width - s.count).step_by(s.count as usize).collect();
        let whole = tile(p, s, place, &asked, s.count, &starts);
        let rest = (left > 0).then(|| {
            let (points, starts) =
                if s.sums_points { (1, (width - left..width).collect()) } else { (left, vec![width - left]) };
            tile(p, s, place, &asked, points, &starts)
        });

        let rows: Vec<AxisId> = unrolled.into_iter().flatten().filter(|axis| stage.axes.contains(axis)).collect();
        let mut sites: Vec<AxisId> = stage.axes.clone();
        sites.retain(|axis| !rows.contains(axis) && ![s.groups, s.columns].contains(axis));
        let mut number = None;
        if !s.sums_points {
            let tiles = p.param(ceil(width, s.count));
            sites.push(p.add_axis("tile", tiles));
            number = sites.last().map(|&axis| p.at(axis));
        }
        let rows: Vec<(AxisId, i64)> =
            rows.iter().map(|&axis| (axis, if axis == s.points { s.count } else { extent(p, axis) })).collect();

        let panel_count = ceil(extent(p, s.groups), s.together);
        let site_count = p.points(&sites).unwrap_or(0);
        let units = profile.compute_units.max(1) as i64;
        let (panels_each, steps) = match s.sums_points {
            true => {
                let rows: i64 = rows.iter().map(|row| row.1).product();
                let tiles = ceil(panel_count * site_count, SUMS_A_UNIT * units).min(MOST_SUMS / rows).max(1);
                let steps = tiles.min(site_count);
                ((tiles / steps).clamp(1, panel_count), steps)
            }
            false => {
                let steps = ceil(site_count, ITEMS_A_UNIT * units).max(1);
                let apart = ceil(ITEMS_A_UNIT * units, ceil(site_count, steps)).clamp(1, panel_count);
                let most = match s.bytes {
                    Some(_) => quads::most_panels(s.together * s.extent_or_one(p, s.channels)),
                    None => panel_count,
                };
                (ceil(panel_count, apart).min(most), steps)
            }
        };
        let global = [ceil(panel_count, panels_each), ceil(site_count, steps), 1].map(|extent| extent as usize);
        let [panels, panels_each, steps] = [panel_count, panels_each, steps].map(|number| p.param(number));

        let (weights, weights_start) = s.bytes.and_then(|_| quads::starts(p, s)).unzip();
        let placeholder = p.scalar(0.0);
        let sum = p.convert(p.ty(s.sum), placeholder);
        let mut replaced = stage.clone();
        p.replace_in(&mut replaced, s.sum, sum);
        let stores = replaced.stores.clone();
        let merged = match s.together {
            1 => Some((s.columns, stores.clone())),
            _ => p.merge_in(&mut replaced, s.groups, s.columns).map(|axis| (axis, replaced.stores)),
        };
        Kernel {
            stage,
            s,
            panels,
            lane,
            start,
            bases,
            sites,
            number,
            panels_each,
            steps,
            tests,
            whole,
            rest,
            rows,
            sum,
            stores,
            merged,
            weights,
            weights_start,
            global,
            program,
        }
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, s, .. } = self;
        let mut emitter = Emitter::new(program, true);
        let index = emitter.index_type();
        let [steps, each, panels] = [self.steps, self.panels_each, self.panels].map(|e| emitter.scalar(e));
        let extents: Vec<String> = self.sites.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let sites = if extents.is_empty() { "1".into() } else { extents.join(" * ") };
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {each};"));
        emitter.line(format!("const {index} last = min(first + {each}, {panels});"));
        emitter.line(format!("const {index} sites = {sites};"));
        emitter.line(format!("const {index} site0 = ({index})get_global_id(1) * {steps};"));
        emitter.line(format!("const {index} site1 = min(site0 + {steps}, sites);"));
        if s.sums_points {
            self.emit_sums(&mut emitter);
        } else {
            self.emit_tiles(&mut emitter);
        }
        let source = emitter.finish(stage.name, ONE_ITEM, &program.stage_tensors(stage));
        Scheduled::new(program, "contract", source, NdRange { global: self.global, local: Some([1; 3]) })
    }

    /// Columns of a group.
    pub(super) fn columns(&self) -> i64 {
        self.program.extent(self.s.columns).unwrap_or(1)
    }

    /// Whether vectors have all groups without overlaps.
    fn is_even(&self) -> bool {
        self.program.extent(self.s.groups).is_some_and(|groups| groups % self.s.together == 0)
    }

    /// The type of a tile's sums. Dot products are of integers; so few of others that floats hold them all.
    pub(super) fn vector_type(&self) -> String {
        format!("{}{}", if self.s.bytes.is_some() { "int" } else { "float" }, self.s.lanes)
    }

    /// The names of the sums of a tile.
    fn sums(&self, tile: &Tile) -> Vec<String> {
        let rows = self.rows.iter().map(|&(axis, count)| if axis == self.s.points { tile.points } else { count });
        let name = |row: i64| if self.s.bytes.is_some() { format!("tile[{row}]") } else { format!("acc{row}_") };
        (0..rows.product()).map(name).collect()
    }

    /// Opens the loop through what a work-item has besides panels.
    fn open_sites(&self, emitter: &mut Emitter<'_>) {
        emitter.open(format!("for ({} site = site0; site < site1; ++site)", emitter.index_type()));
        bind_linear(emitter, &self.program, &self.sites, "site".into());
    }

    /// Tiles whose rows are points.
    fn emit_tiles(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, s, .. } = self;
        s.bytes.into_iter().for_each(|bytes| self.declare_frame(emitter, bytes));
        self.open_sites(emitter);
        if let Some(number) = self.number {
            let (index, number) = (emitter.index_type(), emitter.scalar(number));
            emitter.line(format!("const {index} left = {number} * {};", s.count));
        }
        // Bytes of several panels are multiplied at once.
        let by_panels = s.bytes.is_none();
        if by_panels {
            self.open_panels(emitter);
        }
        match &self.rest {
            Some(rest) => {
                let width = emitter.scalar(program.axis(s.points).extent);
                emitter.open(format!("if (left + {} <= {width})", s.count));
                self.emit_tile(emitter, &self.whole);
                emitter.close();
                emitter.open("else");
                self.emit_tile(emitter, rest);
                emitter.close();
            }
            None => self.emit_tile(emitter, &self.whole),
        }
        (0..1 + i32::from(by_panels)).for_each(|_| emitter.close());
    }

    /// Opens the loop through the panels of a work-item.
    fn open_panels(&self, emitter: &mut Emitter<'_>) {
        let index = emitter.index_type();
        emitter.open(format!("for ({index} panel = first; panel < last; ++panel)"));
        self.bind_panel(emitter);
    }

    /// Says which groups a panel has, and which lanes of it are stored: those of all groups but for the last panel.
    pub(super) fn bind_panel(&self, emitter: &mut Emitter<'_>) {
        let (index, together, columns) = (emitter.index_type(), self.s.together, self.columns());
        let groups = emitter.scalar(self.program.axis(self.s.groups).extent);
        if self.is_even() {
            emitter.line(format!("const {index} g0 = panel * {together};"));
        } else if self.s.bytes.is_some() {
            emitter.line(format!("const {index} g0 = panel * {together};"));
            emitter
                .line(format!("const int low = 0, high = (int)min(({index}){together}, {groups} - g0) * {columns};"));
        } else {
            // The last ones overlap those before, which are not stored again.
            emitter.line(format!("const {index} g0 = min(panel * {together}, {groups} - {together});"));
            emitter.line(format!("const int low = (int)(panel * {together} - g0) * {columns};"));
            emitter.line(format!("const int high = {};", together * columns));
        }
        emitter.bind(self.s.groups, "g0");
        emitter.bind(self.lane, "0");
    }

    /// One of them.
    fn emit_tile(&self, emitter: &mut Emitter<'_>, tile: &Tile) {
        if let Some(bytes) = self.s.bytes {
            return self.emit_quads(emitter, tile, bytes);
        }
        let zeros: Vec<String> = self.sums(tile).iter().map(|sum| format!("{sum} = 0")).collect();
        emitter.line(format!("{} {};", self.vector_type(), zeros.join(", ")));
        let opened = loops::open_all(emitter, &self.program, &self.s.loops, &self.tests);
        self.multiply(emitter, tile, "left");
        (0..opened).for_each(|_| emitter.close());
        self.store(emitter, tile);
    }

    /// Sums over points. All that a work-item has grow together, so that what one of them read is still there for the others.
    fn emit_sums(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, s, whole, .. } = self;
        let (index, vector_type, sums) = (emitter.index_type(), self.vector_type(), self.sums(whole));
        let (count, at_once) = (sums.len(), TILES_AT_ONCE * whole.points);
        emitter.line(format!("{vector_type} sums[{}];", MOST_SUMS.max(count as i64)));
        emitter.line(format!("const {index} all = (site1 - site0) * (last - first) * {count};"));
        emitter.line(format!("for ({index} i = 0; i < all; ++i) sums[i] = 0;"));
        let tile = format!("((site - site0) * (last - first) + (panel - first)) * {count}");
        let place = |at: usize| format!("sums[{tile} + {at}]");
        let loaded: Vec<String> = sums.iter().enumerate().map(|(at, sum)| format!("{sum} = {}", place(at))).collect();
        let width = emitter.scalar(program.axis(s.points).extent);
        // Lines that are short are several at once.
        let (lines, outer) = s.loops.split_last().map_or((None, &[][..]), |(&lines, outer)| (Some(lines), outer));
        let mut opened = loops::open_all(emitter, program, outer, &[]);
        let height = lines.map_or(format!("({index})1"), |lines| emitter.scalar(program.axis(lines).extent));
        emitter.line(format!("const {index} lines = max(({index}){at_once} / {width}, ({index})1);"));
        emitter.open(format!("for ({index} line0 = 0; line0 < {height}; line0 += lines)"));
        emitter.open(format!("for ({index} from = 0; from < {width}; from += {at_once})"));
        emitter.line(format!("const {index} end = min(from + {at_once}, {width});"));
        self.open_sites(emitter);
        self.open_panels(emitter);
        opened += 4;
        emitter.line(format!("{vector_type} {};", loaded.join(", ")));
        emitter.open(format!("for ({index} line = line0; line < min(line0 + lines, {height}); ++line)"));
        lines.into_iter().for_each(|lines| emitter.bind(lines, "line"));
        for &test in &self.tests {
            let test = emitter.scalar(test);
            emitter.line(format!("if (!({test})) continue;"));
        }
        emitter.line(format!("{index} x = from;"));
        emitter.open(format!("for (; x + {} <= end; x += {})", whole.points, whole.points));
        self.multiply(emitter, whole, "x");
        emitter.close();
        if let Some(rest) = &self.rest {
            emitter.open("for (; x < end; ++x)");
            self.multiply(emitter, rest, "x");
            emitter.close();
        }
        emitter.close();
        sums.iter().enumerate().for_each(|(at, sum)| emitter.line(format!("{} = {sum};", place(at))));
        (0..opened).for_each(|_| emitter.close());
        self.open_sites(emitter);
        self.open_panels(emitter);
        emitter.line(format!("const {vector_type} {};", loaded.join(", ")));
        self.store(emitter, whole);
        emitter.close();
        emitter.close();
    }

    /// The products of a tile from a point on, at a step of the loops.
    fn multiply(&self, emitter: &mut Emitter<'_>, tile: &Tile, start: &str) {
        let Kernel { program, s, .. } = self;
        self.bind_start(emitter, tile, start);
        let channels = s.extent_or_one(program, s.channels);
        // Each element is loaded where it is first used, so that it takes no register before.
        let mut loaded: BTreeMap<usize, Option<Vec<String>>> = BTreeMap::new();
        let mut vectors: BTreeMap<[i64; 3], String> = BTreeMap::new();
        let mut order: Vec<(i64, usize)> =
            (0..channels).flat_map(|channel| (0..tile.elements.len()).map(move |element| (channel, element))).collect();
        // Products that follow each other had better belong to different sums.
        if s.sums_points {
            order.sort_by_key(|&(_, element)| element);
        }
        for (channel, number) in order {
            let element = &tile.elements[number];
            let value = match loaded.entry(number).or_insert_with(|| self.load_element(emitter, element)) {
                Some(parts) => self.spread(element, parts, channel, channels),
                None => {
                    emitter.set_lanes(None);
                    format!("({})({})", self.vector_type(), emitter.scalar(element.single[channel as usize]))
                }
            };
            let name = emitter.fresh("s");
            emitter.line(format!("const {} {name} = {value};", self.vector_type()));
            for &[point, tap] in &element.uses {
                let key = vector_key(program, s, [point, tap, channel]);
                let vector = vectors.entry(key).or_insert_with(|| self.load_vector(emitter, &tile.vectors[&key]));
                let place = [(Some(s.points), point), (s.taps, tap), (s.channels, channel)];
                let row = self.rows.iter().fold(0, |row, &(axis, count)| {
                    let count = if axis == s.points { tile.points } else { count };
                    row * count + place.iter().find(|of| of.0 == Some(axis)).map_or(0, |of| of.1)
                });
                emitter.line(format!("acc{row}_ = fma({name}, {vector}, acc{row}_);"));
            }
            let is_last = if s.sums_points { channel + 1 == channels } else { number + 1 == tile.elements.len() };
            if is_last {
                emitter.line(IN_ORDER);
            }
        }
        emitter.set_lanes(None);
    }

    /// Says where the elements of a tile start.
    pub(super) fn bind_start(&self, emitter: &mut Emitter<'_>, tile: &Tile, start: &str) {
        let index = emitter.index_type();
        emitter.bind(self.start, start);
        for (base, from) in self.bases.into_iter().zip(tile.starts) {
            let (name, from) = (emitter.fresh("base"), emitter.scalar(from));
            emitter.line(format!("const {index} {name} = {from};"));
            emitter.bind(base, name);
        }
    }

    /// Loads the channels of an element, unless each is loaded by itself.
    fn load_element(&self, emitter: &mut Emitter<'_>, element: &Element) -> Option<Vec<String>> {
        if !element.single.is_empty() {
            return None;
        }
        let all: Vec<String> = element.conditions.iter().map(|&condition| emitter.scalar(condition)).collect();
        let all = all.join(" && ");
        Some(element.parts.iter().map(|part| self.load(emitter, part, &all)).collect())
    }

    /// Loads neighbours where a condition holds; there is none where it is empty.
    fn load(&self, emitter: &mut Emitter<'_>, part: &Part, condition: &str) -> String {
        emitter.set_lanes((part.size > 1).then_some((self.lane, part.size as usize)));
        let value =
            if condition.is_empty() { emitter.value(part.load) } else { emitter.value_or_zeros(condition, part.load) };
        emitter.set_lanes(None);
        value.text
    }

    /// The columns of a vector; lanes beyond them are zeros.
    fn load_vector(&self, emitter: &mut Emitter<'_>, parts: &[Part]) -> String {
        let mut texts: Vec<String> = parts.iter().map(|part| self.load(emitter, part, "")).collect();
        if texts.len() == 1 && parts[0].size == self.s.lanes {
            return texts.remove(0);
        }
        let used: i64 = parts.iter().map(|part| part.size).sum();
        texts.extend((used..self.s.lanes).map(|_| "0".into()));
        let (name, vector_type) = (emitter.fresh("w"), self.vector_type());
        emitter.line(format!("const {vector_type} {name} = ({vector_type})({});", texts.join(", ")));
        name
    }

    /// A channel of each lane's own group.
    fn spread(&self, element: &Element, parts: &[String], channel: i64, channels: i64) -> String {
        let s = self.s;
        let columns = self.columns();
        // The part, and the place in it, of each lane.
        let places: Vec<(usize, i64)> = (0..s.lanes)
            .map(|lane| {
                let mut at = (lane / columns).min(s.together - 1) * channels + channel;
                let mut part = 0;
                while at >= element.parts[part].size {
                    at -= element.parts[part].size;
                    part += 1;
                }
                (part, at)
            })
            .collect();
        let component = |&(part, at): &(usize, i64)| match element.parts[part].size {
            1 => parts[part].clone(),
            _ => format!("{}.s{at:x}", parts[part]),
        };
        let first = places[0];
        if places.iter().all(|&place| place == first) {
            return format!("({})({})", self.vector_type(), component(&first));
        }
        if places.iter().all(|place| place.0 == first.0) {
            let swizzle: String = places.iter().map(|place| format!("{:x}", place.1)).collect();
            return format!("{}.s{swizzle}", parts[first.0]);
        }
        let lanes: Vec<String> = places.iter().map(component).collect();
        format!("({})({})", self.vector_type(), lanes.join(", "))
    }

    /// What follows the sums: by vectors where their lanes are neighbours in all that is read and written, else by elements.
    pub(super) fn store(&self, emitter: &mut Emitter<'_>, tile: &Tile) {
        let s = self.s;
        let used = s.together * self.columns();
        let by_vectors = self.merged.as_ref().filter(|_| used == s.lanes);
        match by_vectors {
            Some((axis, stores)) if self.is_even() => self.store_vectors(emitter, tile, *axis, stores),
            Some((axis, stores)) => {
                emitter.open(format!("if (low == 0 && high == {used})"));
                self.store_vectors(emitter, tile, *axis, stores);
                emitter.close();
                emitter.open("else");
                self.store_elements(emitter, tile, used);
                emitter.close();
            }
            None => self.store_elements(emitter, tile, used),
        }
    }

    /// Binds the axes of rows to the row with a number.
    fn bind_row(&self, emitter: &mut Emitter<'_>, tile: &Tile, row: &str) {
        let mut inner = 1;
        for &(axis, count) in self.rows.iter().rev() {
            let (count, start) = if axis == self.s.points { (tile.points, "left + ") } else { (count, "") };
            emitter.bind(axis, format!("({start}({row}) / {inner} % {count})"));
            inner *= count;
        }
    }

    fn store_vectors(&self, emitter: &mut Emitter<'_>, tile: &Tile, axis: AxisId, stores: &[Store]) {
        let sums = self.sums(tile);
        let converts = self.program.ty(self.s.sum) == Ty::S32 && self.s.bytes.is_none();
        let converted = |sum: &str| match converts {
            true => format!("convert_int{}({sum})", self.s.lanes),
            false => sum.to_string(),
        };
        let store = |emitter: &mut Emitter<'_>, row: &str, sum: &str| {
            self.bind_row(emitter, tile, row);
            emitter.set_lanes(Some((axis, self.s.lanes as usize)));
            emitter.bind(axis, if axis == self.s.columns { "0".into() } else { format!("(g0 * {})", self.columns()) });
            emitter.define(self.sum, Value { text: converted(sum), vector: true });
            stores.iter().for_each(|store| emitter.store(store));
            emitter.set_lanes(None);
        };
        if follow(&self.program, self.stage, self.s.sum) <= SHORT_EPILOGUE {
            for (row, sum) in sums.iter().enumerate() {
                emitter.open("");
                store(emitter, &row.to_string(), sum);
                emitter.close();
            }
            return;
        }
        self.open_rows(emitter, &sums);
        store(emitter, "r", "tile[r]");
        emitter.close();
    }

    /// Brings the sums to memory, and opens a loop through them.
    fn open_rows(&self, emitter: &mut Emitter<'_>, sums: &[String]) {
        if self.s.bytes.is_none() {
            emitter.line(format!("const {} tile[{}] = {{{}}};", self.vector_type(), sums.len(), sums.join(", ")));
        }
        emitter.open(format!("for (int r = 0; r < {}; ++r)", sums.len()));
    }

    fn store_elements(&self, emitter: &mut Emitter<'_>, tile: &Tile, used: i64) {
        let (s, columns) = (self.s, self.columns());
        self.open_rows(emitter, &self.sums(tile));
        self.bind_row(emitter, tile, "r");
        let whole = used.to_string();
        let (low, high) = if self.is_even() { ("0", whole.as_str()) } else { ("low", "high") };
        emitter.open(format!("for (int l = {low}; l < {high}; ++l)"));
        emitter.bind(s.groups, format!("(g0 + l / {columns})"));
        emitter.bind(s.columns, format!("(l % {columns})"));
        let scalar = if s.bytes.is_some() { "int" } else { "float" };
        let sum = format!("((const {scalar} *)tile)[r * {} + l]", s.lanes);
        let sum = if self.program.ty(s.sum) == Ty::S32 { format!("(int){sum}") } else { sum };
        emitter.define(self.sum, Value { text: sum, vector: false });
        self.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}
