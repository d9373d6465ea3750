//! The form for CPU-type devices: a work-item has tiles of a few rows, whose products with a panel of keys and whose sums
//! over a panel of channels are in registers.
//!
//! Where there are many rows, keys and values lie in panels. For few rows, as in decoding, they are read where they are, and
//! products are sums over the lanes of a key's channels.

use std::collections::HashMap;

use super::{Attention, LOWEST, PANELS, VECTORS, bounded_score, guarded, lanes, tiles};
use crate::codegen::opencl::{Emitter, Value};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::contract::amx;
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil, needs_wide_indices};

/// Tiles that a work-item computes with each panel of keys, at most.
const MOST_TILES: i64 = 4;
/// Work-items for each compute unit, so that no unit waits long for the last one.
const ITEMS_A_UNIT: i64 = 8;

/// Vectors of a key's channels that are multiplied without a test between them.
const UNROLLED: i64 = 8;

/// One kernel in the making.
pub(super) struct Kernel {
    pub(super) program: Program,
    stage: Stage,
    pub(super) a: Attention,
    /// The load of the sum of powers.
    total: E,
    pub(super) lanes: i64,
    /// Columns of a panel.
    pub(super) width: i64,
    /// Keys of a block, whose products are there at a time.
    pub(super) block: i64,
    pub(super) rows: i64,
    pub(super) tiles: i64,
    /// Channels of a query, rounded up to whole vectors, or tiles.
    pub(super) depth: i64,
    /// Keys are `panel * width + vector * lanes + lane`, channels likewise.
    pub(super) panel: AxisId,
    pub(super) lane: AxisId,
    /// A key, or its channels, a vector at a time.
    pub(super) keys: Keys,
    /// Values, in panels.
    pub(super) values: Vec<Vec<E>>,
    /// The product with what is beyond the last key left out.
    score: E,
    /// What hides keys from rows, if that is a matter of positions.
    sight: Option<E>,
}

/// How the products of a panel of keys come about.
pub(super) enum Keys {
    /// A vector has a channel of neighbouring keys.
    Columns(Vec<E>),
    /// A vector has neighbouring channels of a key: the vector's number, and the rest behind the last whole one.
    Channels { chunk: AxisId, vector: E },
    /// Pairs of bf16, by the address of a panel.
    Pairs(E),
    /// The same for AMX's tiles.
    Tiles(E),
}

impl Kernel {
    pub fn new(program: &Program, stage: &Stage, a: Attention, total: E, profile: &DeviceProfile) -> Kernel {
        let mut program = program.clone();
        let p = &mut program;
        let lanes = lanes(profile);
        let by_tiles = in_pairs(p, a.key) && tiles::are_there(profile);
        let (width, block) = match by_tiles {
            true => (tiles::PANELS.width, tiles::BLOCK),
            false => (lanes * VECTORS, lanes * VECTORS * PANELS),
        };
        let vectors = width / lanes;
        let extent = |p: &Program, axis| p.extent(axis).unwrap_or(0);
        let row_count = a.row_count(p).unwrap_or(1);
        let rows = match profile.vector_registers() {
            _ if by_tiles => tiles::rows(row_count),
            32.. => row_count.min(6),
            _ => row_count.min(3),
        };
        let others = p.points(&a.others).unwrap_or(1);
        let share = ceil(row_count, rows) * others / (ITEMS_A_UNIT * profile.compute_units as i64);
        let tiles = if share >= MOST_TILES { MOST_TILES } else { 1 };
        let key_panels = p.param(ceil(extent(p, a.keys), width));
        let panel = p.add_axis("panel", key_panels);
        let lanes_e = p.index(lanes);
        let lane = p.add_axis("lane", lanes_e);
        let keys_count = extent(p, a.keys);
        let keys = if a.along_channels(p, lanes) {
            let count = p.index(extent(p, a.reduced) / lanes);
            let chunk = p.add_axis("chunk", count);
            let (at, lane) = (p.at(chunk), p.at(lane));
            let first = p.mul(at, lanes_e);
            let channel = p.add(first, lane);
            Keys::Channels { chunk, vector: p.substitute(a.key, &HashMap::from([(a.reduced, channel)])) }
        } else {
            let (at, width_e) = (p.at(panel), p.index(width));
            let first = p.mul(at, width_e);
            let vectors: Vec<E> = (0..vectors)
                .map(|v| vector_at(p, a.key, a.keys, first, v * lanes, lane, keys_count % width != 0))
                .collect();
            match in_pairs(p, a.key) {
                true if by_tiles => Keys::Tiles(vectors[0]),
                true => Keys::Pairs(vectors[0]),
                false => Keys::Columns(vectors),
            }
        };
        let channels = extent(p, a.channels);
        let channel_vectors = ceil(channels, lanes);
        let values: Vec<Vec<E>> = (0..ceil(channel_vectors, vectors))
            .map(|panel| {
                let count = if in_pairs(p, a.value) { vectors } else { vectors.min(channel_vectors - panel * vectors) };
                let first = p.index(panel * width);
                (0..count)
                    .map(|v| vector_at(p, a.value, a.channels, first, v * lanes, lane, channels % lanes != 0))
                    .collect()
            })
            .collect();
        let score = if keys_count % block == 0 { a.score } else { bounded_score(p, &a) };
        let sight = a.sight(p);
        let whole = if by_tiles { tiles::DEPTH } else { lanes };
        let depth = ceil(extent(p, a.reduced), whole) * whole;
        let stage = stage.clone();
        Kernel {
            program,
            stage,
            a,
            total,
            lanes,
            width,
            block,
            rows,
            tiles,
            depth,
            panel,
            lane,
            keys,
            values,
            score,
            sight,
        }
    }

    /// Vectors of a row's sums.
    pub(super) fn row_vectors(&self) -> i64 {
        self.values.iter().map(|panel| panel.len() as i64).sum()
    }

    pub fn emit(&self) -> Scheduled {
        let Kernel { program, stage, a, rows, tiles, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        self.body(&mut emitter);
        let source = emitter.finish(stage.name, "", &program.stage_tensors(stage));
        let points = |axes: &[AxisId]| program.points(axes).unwrap_or(0).max(0) as usize;
        let global = [points(&a.rows).div_ceil((rows * tiles) as usize), points(&a.others), 1];
        Scheduled::new(program, "attend", source, NdRange { global, local: Some([1; 3]) })
    }

    fn body(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, rows, tiles, depth, .. } = self;
        let index = emitter.index_type();
        let item_rows = rows * tiles;
        let vectors = item_rows * self.row_vectors();
        let counts: Vec<String> = a.rows.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        emitter.line(format!(
            "const {index} row_count = {};",
            if counts.is_empty() { "1".into() } else { counts.join(" * ") }
        ));
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {item_rows};"));
        emitter.line(format!("const {index} other = ({index})get_global_id(1);"));
        bind_linear(emitter, program, &a.others, "other".into());
        emitter.line(format!("float{lanes} sums[{vectors}], total[{item_rows}];"));
        emitter.line(format!("for (int i = 0; i < {vectors}; ++i) sums[i] = 0;"));
        emitter.line(format!("float largest[{item_rows}];"));
        emitter.line(format!("for (int r = 0; r < {item_rows}; ++r) {{ largest[r] = {LOWEST}; total[r] = 0; }}"));
        let (query_type, aligned) = match self.keys {
            Keys::Tiles(_) => ("ushort", " __attribute__((aligned(64)))"),
            Keys::Pairs(_) => ("ushort", ""),
            Keys::Columns(_) | Keys::Channels { .. } => ("float", ""),
        };
        emitter.line(format!("{query_type} queries[{}]{aligned};", item_rows * depth));
        self.copy_queries(emitter);
        if let Keys::Tiles(_) = self.keys {
            self.start_tiles(emitter);
        }
        let keys = emitter.scalar(program.axis(a.keys).extent);
        emitter.open(format!("for ({index} start = 0; start < {keys}; start += {})", self.block));
        emitter.line(format!("const {index} keys = min(({index}){}, {keys} - start);", self.block));
        emitter.line("int seen = 0;");
        if let Keys::Pairs(keys) = self.keys {
            self.block_of_pairs(emitter, keys);
        } else {
            self.open_tiles(emitter);
            emitter.line("seen = 1;");
            emitter.line(format!("float{lanes} scores[{}];", rows * self.block / lanes));
            match &self.keys {
                Keys::Columns(keys) => self.products(emitter, keys),
                Keys::Channels { chunk, vector } => self.products_along_channels(emitter, *chunk, *vector),
                Keys::Tiles(keys) => self.products_of_tiles(emitter, *keys),
                Keys::Pairs(_) => {}
            }
            if let Keys::Tiles(_) = self.keys {
                self.powers_of_tiles(emitter);
                self.weigh_tiles(emitter);
            } else {
                self.powers(emitter);
                self.weigh(emitter);
            }
            emitter.close();
        }
        emitter.line("if (!seen) break;");
        emitter.close();
        if let Keys::Tiles(_) = self.keys {
            amx::close(emitter);
        }
        self.store(emitter);
    }

    /// Opens a loop over the tiles that have rows which see keys of the block.
    pub(super) fn open_tiles(&self, emitter: &mut Emitter<'_>) {
        let Kernel { rows, tiles, .. } = self;
        let index = emitter.index_type();
        emitter.open(format!("for (int t = 0; t < {tiles} && first + t * {rows} < row_count; ++t)"));
        emitter.line(format!("const {index} first_row = first + t * {rows};"));
        if let Some(sight) = self.sight {
            self.look_ahead(emitter, sight);
        }
    }

    /// Whether queries and powers are bf16.
    fn multiplies_pairs(&self) -> bool {
        matches!(self.keys, Keys::Pairs(_) | Keys::Tiles(_))
    }

    /// Fills the array `queries`, each row's channels side by side.
    fn copy_queries(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, rows, tiles, depth, .. } = self;
        let index = emitter.index_type();
        let channels = emitter.scalar(program.axis(a.reduced).extent);
        emitter.open(format!("for (int r = 0; r < {}; ++r)", rows * tiles));
        emitter.line(format!("const {index} row = min(first + r, row_count - 1);"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.open(format!("for ({index} c = 0; c < {channels} / {lanes}; ++c)"));
        emitter.set_lanes(Some((a.reduced, *lanes as usize)));
        emitter.bind(a.reduced, format!("(c * {lanes})"));
        let query = emitter.wide_value(a.query);
        let stored = match self.multiplies_pairs() {
            true => format!("convert_ushort{lanes}(as_uint{lanes}({query}) >> 16)"),
            false => query,
        };
        emitter.line(format!("vstore{lanes}({stored}, 0, queries + r * {depth} + c * {lanes});"));
        emitter.set_lanes(None);
        emitter.close();
        emitter.open(format!("for ({index} c = {channels} / {lanes} * {lanes}; c < {channels}; ++c)"));
        emitter.bind(a.reduced, "c");
        let query = emitter.scalar(a.query);
        let stored = match self.multiplies_pairs() {
            true => format!("(ushort)(as_uint({query}) >> 16)"),
            false => query,
        };
        emitter.line(format!("queries[r * {depth} + c] = {stored};"));
        emitter.close();
        if let Keys::Tiles(_) = self.keys {
            emitter.line(format!("for ({index} c = {channels}; c < {depth}; ++c) queries[r * {depth} + c] = 0;"));
        }
        emitter.close();
    }

    /// Goes on to the next tile where all keys of the panel are hidden from this one's rows.
    fn look_ahead(&self, emitter: &mut Emitter<'_>, sight: E) {
        let Kernel { program, a, rows, .. } = self;
        let index = emitter.index_type();
        emitter.line("int sees = 0;");
        let start = if a.rows.len() <= 1 { rows - 1 } else { 0 };
        emitter.open(format!("for (int r = {start}; r < {rows}; ++r)"));
        emitter.line(format!("const {index} row = min(first_row + r, row_count - 1);"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.bind(a.keys, "start");
        let sees = emitter.scalar(sight);
        emitter.line(format!("sees |= {sees};"));
        emitter.close();
        emitter.line("if (!sees) continue;");
    }

    fn registers(&self, name: &str, vectors: i64) -> Vec<String> {
        (0..self.rows).flat_map(|r| (0..vectors).map(move |v| format!("{name}{r}_{v}_"))).collect()
    }

    /// Adds the products of an element of each row with some vectors to sums that have registers. The longer of both stays out of
    /// registers.
    fn add_products(&self, emitter: &mut Emitter<'_>, sum: &str, row: impl Fn(i64) -> String, vectors: &[String]) {
        let Kernel { rows, lanes, .. } = self;
        let declare = |emitter: &mut Emitter<'_>, r: i64| {
            emitter.line(format!("const float{lanes} {sum}_row{r} = {};", row(r)));
        };
        let add = |emitter: &mut Emitter<'_>, r: i64, v: usize| {
            emitter.line(format!("{sum}{r}_{v}_ = fma({sum}_row{r}, {}, {sum}{r}_{v}_);", vectors[v]));
        };
        if *rows < vectors.len() as i64 {
            (0..*rows).for_each(|r| declare(emitter, r));
            (0..vectors.len()).for_each(|v| (0..*rows).for_each(|r| add(emitter, r, v)));
        } else {
            for r in 0..*rows {
                declare(emitter, r);
                (0..vectors.len()).for_each(|v| add(emitter, r, v));
            }
        }
    }

    /// The array `scores` with the sums of products of all rows with a panel of keys.
    fn products(&self, emitter: &mut Emitter<'_>, keys: &[E]) {
        let Kernel { program, a, lanes, width, rows, depth, .. } = self;
        let index = emitter.index_type();
        let all = self.registers("dot", VECTORS);
        emitter.open(format!("for (int b = 0; b * {width} < keys; ++b)"));
        emitter.bind(self.panel, format!("(start / {width} + b)"));
        emitter.set_lanes(Some((self.lane, *lanes as usize)));
        emitter.bind(self.lane, "0");
        emitter.line(format!("const float *query = queries + t * {};", rows * depth));
        emitter
            .line(format!("float{lanes} {};", all.iter().map(|x| format!("{x} = 0")).collect::<Vec<_>>().join(", ")));
        for &factor in keys {
            emitter.hoist(factor, &[a.reduced]);
        }
        let extent = emitter.scalar(program.axis(a.reduced).extent);
        emitter.open(format!("for ({index} k = 0; k < {extent}; ++k)"));
        emitter.bind(a.reduced, "k");
        let keys: Vec<String> = keys.iter().map(|&e| emitter.wide_value(e)).collect();
        self.add_products(emitter, "dot", |r| format!("query[{} + k]", r * depth), &keys);
        emitter.close();
        for (i, register) in (0..).zip(&all) {
            let slot = i / VECTORS * PANELS * VECTORS + i % VECTORS;
            emitter.line(format!("scores[b * {VECTORS} + {slot}] = {register};"));
        }
        emitter.close();
        emitter.set_lanes(None);
    }

    /// The same for keys whose channels lie side by side: some keys at a time, whose sums over lanes are found together.
    fn products_along_channels(&self, emitter: &mut Emitter<'_>, chunk: AxisId, vector: E) {
        let Kernel { program, a, lanes, block, rows, depth, .. } = self;
        let index = emitter.index_type();
        let together = lanes / (*rows as u64).next_power_of_two() as i64;
        let (extent, channels) =
            (emitter.scalar(program.axis(a.keys).extent), emitter.scalar(program.axis(a.reduced).extent));
        let whole = program.extent(a.reduced).is_some_and(|extent| extent == *depth);
        emitter.open(format!("for ({index} j = 0; j < keys; j += {together})"));
        for g in 0..together {
            emitter.line(format!("const {index} key{g} = min(start + j + {g}, {extent} - 1);"));
        }
        let all = self.registers("dot", together);
        let zeros: Vec<String> = all.iter().map(|x| format!("{x} = 0")).collect();
        emitter.line(format!("float{lanes} {};", zeros.join(", ")));
        emitter.set_lanes(Some((self.lane, *lanes as usize)));
        emitter.bind(self.lane, "0");
        for g in 0..together {
            emitter.open("");
            emitter.bind(a.keys, format!("key{g}"));
            emitter.hoist(vector, &[chunk]);
            let multiply = |emitter: &mut Emitter<'_>, c: &str| {
                emitter.bind(chunk, c);
                let key = emitter.wide_value(vector);
                for r in 0..*rows {
                    let query = format!("vload{lanes}(0, queries + {} + {c} * {lanes})", r * depth);
                    emitter.line(format!("dot{r}_{g}_ = fma({query}, {key}, dot{r}_{g}_);"));
                }
            };
            if depth / lanes <= UNROLLED && whole {
                (0..depth / lanes).for_each(|c| multiply(emitter, &c.to_string()));
            } else {
                emitter.open(format!("for ({index} c = 0; c < {channels} / {lanes}; ++c)"));
                multiply(emitter, "c");
                emitter.close();
            }
            emitter.close();
        }
        emitter.set_lanes(None);
        for (r, dots) in all.chunks(together as usize).enumerate() {
            let found = fold(emitter, dots.to_vec(), *lanes, |a, b| format!("{a} + {b}"));
            let ty = vector_type(together);
            emitter.line(format!("{ty} product{r} = {found};"));
        }
        let from = if whole { channels.clone() } else { format!("{channels} / {lanes} * {lanes}") };
        emitter.open(format!("for ({index} c = {from}; c < {channels}; ++c)"));
        emitter.bind(a.reduced, "c");
        for g in 0..together {
            emitter.open("");
            emitter.bind(a.keys, format!("key{g}"));
            let key = emitter.scalar(a.key);
            for r in 0..*rows {
                let part = if together == 1 { String::new() } else { format!(".s{g:x}") };
                emitter.line(format!("product{r}{part} = fma(queries[{} + c], {key}, product{r}{part});", r * depth));
            }
            emitter.close();
        }
        emitter.close();
        for r in 0..*rows {
            let target = format!("(float *)scores + {} + j", r * block);
            emitter.line(match together {
                1 => format!("*({target}) = product{r};"),
                _ => format!("vstore{together}(product{r}, 0, {target});"),
            });
        }
        emitter.close();
    }

    /// Turns `scores` of a tile into powers, and brings largest products and sums up to date.
    pub(super) fn powers(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, rows, .. } = self;
        let index = emitter.index_type();
        let vectors = self.block / lanes;
        let all: Vec<String> = (0..vectors).map(|v| format!("score{v}")).collect();
        let exp = emitter.exp_down();
        emitter.open(format!("for (int r = 0; r < {rows}; ++r)"));
        emitter.line(format!("const {index} row = min(first_row + r, row_count - 1);"));
        bind_linear(emitter, program, &a.rows, "row".into());
        for (v, name) in (0..).zip(&all) {
            self.declare_score(emitter, name, v, &format!("scores[r * {vectors} + {v}]"));
        }
        let most = in_pairs_of(emitter, &format!("float{lanes}"), all.clone(), larger);
        let most = across(emitter, &most, *lanes, larger);
        emitter.line(format!("const int own = t * {rows} + r;"));
        emitter.line(format!("const float found = {};", larger("largest[own]", &most)));
        emitter.open("if (found > largest[own])");
        emitter.line("const float shrink = exp(largest[own] - found);");
        emitter.line("largest[own] = found;");
        emitter.line("total[own] *= shrink;");
        let of_row = self.row_vectors();
        emitter.line(format!("for (int i = 0; i < {of_row}; ++i) sums[own * {of_row} + i] *= shrink;"));
        emitter.close();
        for (v, name) in all.iter().enumerate() {
            emitter.line(format!("{name} = {exp}_float{lanes}({name} - found);"));
            match self.keys {
                Keys::Pairs(_) => self.keep_weight(emitter, "own", v as i64),
                _ => emitter.line(format!("scores[r * {vectors} + {v}] = {name};")),
            }
        }
        let added = in_pairs_of(emitter, &format!("float{lanes}"), all, |a, b| format!("{a} + {b}"));
        emitter.line(format!("total[own] += {added};"));
        emitter.close();
    }

    /// A variable with what becomes of a vector of a row's products before the power is taken.
    pub(super) fn declare_score(&self, emitter: &mut Emitter<'_>, name: &str, vector: i64, product: &str) {
        let Kernel { a, lanes, .. } = self;
        emitter.line(format!("float{lanes} {name} = {product};"));
        emitter.open("");
        emitter.set_lanes(Some((a.keys, *lanes as usize)));
        emitter.bind(a.keys, format!("(start + {})", vector * lanes));
        emitter.define(a.dot, Value { text: name.to_string(), vector: true });
        let score = emitter.wide_value(self.score);
        emitter.line(format!("{name} = {score};"));
        emitter.set_lanes(None);
        emitter.close();
    }

    /// Where the sums of a row over a panel of channels are.
    fn slots(&self, panel: usize) -> Vec<String> {
        let (of_row, vectors) = (self.row_vectors(), self.values[panel].len() as i64);
        let first = panel as i64 * VECTORS;
        (0..self.rows)
            .flat_map(|r| (0..vectors).map(move |v| format!("tile_sums[{}]", r * of_row + first + v)))
            .collect()
    }

    /// Adds the values of a block of keys, weighted with the powers.
    fn weigh(&self, emitter: &mut Emitter<'_>) {
        let Kernel { a, lanes, block, rows, .. } = self;
        let index = emitter.index_type();
        emitter.line("const float *powers = (const float *)scores;");
        emitter.line(format!("float{lanes} *const tile_sums = sums + t * {};", rows * self.row_vectors()));
        for (p, vectors) in self.values.iter().enumerate() {
            let all = self.registers("sum", vectors.len() as i64);
            let slots = self.slots(p);
            emitter.open("");
            let loads: Vec<String> = all.iter().zip(&slots).map(|(x, slot)| format!("{x} = {slot}")).collect();
            emitter.line(format!("float{lanes} {};", loads.join(", ")));
            emitter.set_lanes(Some((self.lane, *lanes as usize)));
            emitter.bind(self.lane, "0");
            for &vector in vectors {
                emitter.hoist(vector, &[a.keys]);
            }
            emitter.open(format!("for ({index} j = 0; j < keys; ++j)"));
            emitter.bind(a.keys, "(start + j)");
            let values: Vec<String> = vectors.iter().map(|&e| emitter.wide_value(e)).collect();
            self.add_products(emitter, "sum", |r| format!("powers[{} + j]", r * block), &values);
            emitter.close();
            emitter.set_lanes(None);
            for (register, slot) in all.iter().zip(&slots) {
                emitter.line(format!("{slot} = {register};"));
            }
            emitter.close();
        }
    }

    fn store(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, stage, a, lanes, rows, tiles, .. } = self;
        let index = emitter.index_type();
        let channels = emitter.scalar(program.axis(a.channels).extent);
        let vectors = self.row_vectors();
        emitter.open(format!("for (int r = 0; r < {} && first + r < row_count; ++r)", rows * tiles));
        emitter.line(format!("const {index} row = first + r;"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.line(format!("const float{lanes} parts = total[r];"));
        let total = across(emitter, "parts", *lanes, |a, b| format!("{a} + {b}"));
        emitter.define(self.total, Value { text: total, vector: false });
        emitter.open(format!("for ({index} v = 0; v < {channels} / {lanes}; ++v)"));
        emitter.set_lanes(Some((a.channels, *lanes as usize)));
        emitter.bind(a.channels, format!("(v * {lanes})"));
        emitter.define(a.sum, Value { text: format!("sums[r * {vectors} + v]"), vector: true });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();
        emitter.open(format!("for ({index} c = {channels} / {lanes} * {lanes}; c < {channels}; ++c)"));
        emitter.bind(a.channels, "c");
        let text = format!("((const float *)sums)[r * {} + c]", vectors * lanes);
        emitter.define(a.sum, Value { text, vector: false });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}

/// A factor as a vector of neighbours along an axis, `distance` behind a first position.
fn vector_at(p: &mut Program, factor: E, axis: AxisId, first: E, distance: i64, lane: AxisId, ragged: bool) -> E {
    let (at, distance) = (p.at(lane), p.index(distance));
    let within = p.add(distance, at);
    let position = p.add(first, within);
    let vector = p.substitute(factor, &HashMap::from([(axis, position)]));
    if !ragged || is_padded(p, factor) {
        return vector;
    }
    let limit = p.axis(axis).extent;
    let inside = p.lt(position, limit);
    guarded(p, vector, lane, inside, &[])
}

/// Whether a factor can be read beyond its end.
fn is_padded(program: &Program, factor: E) -> bool {
    let Node::Load { tensor, .. } = *program.node(factor) else { return false };
    program.tensor(tensor).elements == Some(i64::MAX)
}

/// Whether a factor lies in panels of pairs.
fn in_pairs(program: &Program, factor: E) -> bool {
    let Node::Load { tensor, .. } = *program.node(factor) else { return false };
    is_padded(program, factor) && program.tensor(tensor).data_type == DataType::S32
}

fn vector_type(lanes: i64) -> String {
    if lanes == 1 { "float".to_string() } else { format!("float{lanes}") }
}

pub(super) fn larger(a: &str, b: &str) -> String {
    format!("({b} > {a} ? {b} : {a})")
}

/// Combines values as a tournament does; gives the name of the result.
pub(super) fn in_pairs_of(
    emitter: &mut Emitter<'_>,
    ty: &str,
    mut names: Vec<String>,
    combine: impl Fn(&str, &str) -> String,
) -> String {
    while names.len() > 1 {
        names = names
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => {
                    let name = emitter.fresh("both");
                    emitter.line(format!("const {ty} {name} = {};", combine(a, b)));
                    name
                }
                _ => pair[0].clone(),
            })
            .collect();
    }
    names.remove(0)
}

/// Combines the lanes of a vector; gives the name of the result.
fn across(emitter: &mut Emitter<'_>, vector: &str, lanes: i64, combine: impl Fn(&str, &str) -> String) -> String {
    let (mut name, mut lanes) = (vector.to_string(), lanes);
    while lanes > 1 {
        lanes /= 2;
        let half = emitter.fresh("half");
        let value = combine(&format!("{name}.lo"), &format!("{name}.hi"));
        emitter.line(format!("const {} {half} = {value};", vector_type(lanes)));
        name = half;
    }
    name
}

/// Combines the lanes of each of some vectors, which are a power of two and no more than the lanes; gives the name of the vector of
/// results.
pub(super) fn fold(
    emitter: &mut Emitter<'_>,
    vectors: Vec<String>,
    lanes: i64,
    combine: impl Fn(&str, &str) -> String,
) -> String {
    let count = vectors.len() as i64;
    let ty = vector_type(lanes);
    let halves = |a: &str, b: &str| [format!("({ty})({a}.even, {b}.even)"), format!("({ty})({a}.odd, {b}.odd)")];
    let mut name = in_pairs_of(emitter, &ty, vectors, |a, b| {
        let [even, odd] = halves(a, b);
        combine(&even, &odd)
    });
    let mut lanes = lanes;
    while lanes > count {
        lanes /= 2;
        let half = emitter.fresh("half");
        let value = combine(&format!("{name}.even"), &format!("{name}.odd"));
        emitter.line(format!("const {} {half} = {value};", vector_type(lanes)));
        name = half;
    }
    name
}
