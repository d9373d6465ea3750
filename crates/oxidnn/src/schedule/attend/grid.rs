//! The form for GPU-type devices, and for those without vectors.
//!
//! A work-group has a block of rows, with a line of work-items for each. It brings slices of queries, keys and values to
//! local memory, each element once, whatever its layout and type; the powers of a block of keys are there too. Sums are in
//! registers, some channels of its row in each work-item.

use super::{Attention, LOWEST, bounded_score};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::contract::steps_by_one;
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil, needs_wide_indices};

/// Work-items along each side of a work-group: rows, and what they share a row's work by. Also channels of queries, or keys,
/// that are in local memory at a time.
const SIDE: i64 = 16;
/// Products of a row, or sums of it over a panel of channels, in each work-item.
const OWN: i64 = 4;
/// Keys of a block, and channels of a panel of values.
const WIDTH: i64 = SIDE * OWN;
/// Channels of values, at most: each work-item keeps its share of the sums.
const MOST_CHANNELS: i64 = 4 * WIDTH;

/// Whether a device can run it.
pub(super) fn fits(channels: i64, profile: &DeviceProfile) -> bool {
    let local = (2 * SIDE * (SIDE + 1) + 2 * SIDE * (WIDTH + 1)) * 4;
    channels <= MOST_CHANNELS
        && profile.local_memory >= local as usize
        && profile.max_work_group >= (SIDE * SIDE) as usize
}

/// One kernel in the making.
struct Kernel<'p> {
    program: &'p Program,
    a: &'p Attention,
    /// The product with what is beyond the last key left out.
    score: E,
    panels: i64,
}

pub(super) fn emit(program: &Program, stage: &Stage, a: &Attention, total: E) -> Scheduled {
    let mut program = program.clone();
    let score = bounded_score(&mut program, a);
    let panels = ceil(program.extent(a.channels).unwrap_or(1), WIDTH);
    let kernel = Kernel { program: &program, a, score, panels };
    let mut emitter = Emitter::new(&program, needs_wide_indices(&program, stage));
    kernel.start(&mut emitter);
    kernel.blocks(&mut emitter);
    kernel.store(&mut emitter, stage, total);
    let points = |axes: &[AxisId]| program.points(axes).unwrap_or(0).max(0);
    let global = [SIDE, ceil(points(&a.rows), SIDE) * SIDE, points(&a.others)].map(|extent| extent as usize);
    let local = Some([SIDE as usize, SIDE as usize, 1]);
    let attribute = format!("__attribute__((reqd_work_group_size({SIDE}, {SIDE}, 1)))\n");
    let source = emitter.finish(stage.name, &attribute, &program.stage_tensors(stage));
    Scheduled::new(&program, "attend", source, NdRange { global, local })
}

impl Kernel<'_> {
    fn start(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, panels, .. } = self;
        let index = emitter.index_type();
        emitter.line(format!("__local float query_tile[{0}], marks[{0}];", SIDE * (SIDE + 1)));
        emitter.line(format!("__local float tile[{0}], weights[{0}];", SIDE * (WIDTH + 1)));
        emitter.line("const int x = get_local_id(0), y = get_local_id(1);");
        let counts: Vec<String> = a.rows.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let count = if counts.is_empty() { "1".to_string() } else { counts.join(" * ") };
        emitter.line(format!("const {index} row_count = {count};"));
        emitter.line(format!("const {index} first_row = ({index})get_group_id(1) * {SIDE};"));
        emitter.line(format!("const {index} other = ({index})get_global_id(2);"));
        bind_linear(emitter, program, &a.others, "other".into());
        emitter.line(format!("float sums[{}], parts[{OWN}];", panels * OWN));
        emitter.line(format!("for (int i = 0; i < {}; ++i) sums[i] = 0;", panels * OWN));
        emitter.line(format!("float largest = {LOWEST}, total = 0;"));
    }

    /// The loop over blocks of keys.
    fn blocks(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, .. } = self;
        let index = emitter.index_type();
        let keys = emitter.scalar(program.axis(a.keys).extent);
        emitter.open(format!("for ({index} block = 0; block < {keys}; block += {WIDTH})"));
        if let Some(sight) = a.sight(program) {
            emitter.line("int sees = 0;");
            let first = if a.rows.len() <= 1 { SIDE - 1 } else { 0 };
            emitter.open(format!("for (int r = {first}; r < {SIDE}; ++r)"));
            emitter.line(format!("const {index} row = min(first_row + r, row_count - 1);"));
            bind_linear(emitter, program, &a.rows, "row".into());
            emitter.bind(a.keys, "block");
            let sees = emitter.scalar(sight);
            emitter.line(format!("sees |= {sees};"));
            emitter.close();
            emitter.line("if (!sees) break;");
        }
        self.products(emitter, &keys);
        self.powers(emitter);
        (0..self.panels).for_each(|panel| self.weigh(emitter, panel, &keys));
        emitter.close();
    }

    /// `parts` with the products of the work-item's row and some keys.
    fn products(&self, emitter: &mut Emitter<'_>, keys: &str) {
        let Kernel { program, a, .. } = self;
        let index = emitter.index_type();
        let depth = emitter.scalar(program.axis(a.reduced).extent);
        emitter.line(format!("for (int c = 0; c < {OWN}; ++c) parts[c] = 0;"));
        emitter.open(format!("for ({index} k0 = 0; k0 < {depth}; k0 += {SIDE})"));
        emitter.open("");
        emitter.line(format!("const {index} row = first_row + y, k = k0 + x;"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.bind(a.reduced, "k");
        let query = emitter.value_if(&format!("row < row_count && k < {depth}"), a.query);
        emitter.line(format!("query_tile[y * {} + x] = {};", SIDE + 1, query.text));
        emitter.close();
        // Neighbouring work-items read neighbours: channels of a key, or keys.
        let along_channels = steps_by_one(program, a.key, a.reduced);
        let (own, step) = if along_channels { ("y", "x") } else { ("x", "y") };
        emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
        emitter.line(format!("const int own = c * {SIDE} + {own}, step = {step};"));
        emitter.line(format!("const {index} key = block + own, k = k0 + step;"));
        emitter.bind(a.keys, "key");
        emitter.bind(a.reduced, "k");
        let key = emitter.value_if(&format!("key < {keys} && k < {depth}"), a.key);
        emitter.line(format!("tile[step * {} + own] = {};", WIDTH + 1, key.text));
        emitter.close();
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.open(format!("for (int k = 0; k < {SIDE}; ++k)"));
        emitter.line(format!("const float query = query_tile[y * {} + k];", SIDE + 1));
        emitter.line(format!(
            "for (int c = 0; c < {OWN}; ++c) parts[c] = fma(query, tile[k * {} + c * {SIDE} + x], parts[c]);",
            WIDTH + 1
        ));
        emitter.close();
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.close();
    }

    /// The array `weights` with the powers of the products of a block; brings sums and the largest product up to date.
    fn powers(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, panels, .. } = self;
        let index = emitter.index_type();
        emitter.line(format!("float found = {LOWEST};"));
        emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
        emitter.line(format!("const {index} row = min(first_row + y, row_count - 1);"));
        emitter.line(format!("const {index} key = block + c * {SIDE} + x;"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.bind(a.keys, "key");
        emitter.define(a.dot, Value { text: "parts[c]".into(), vector: false });
        let score = emitter.scalar(self.score);
        emitter.line(format!("parts[c] = {score};"));
        emitter.line("found = parts[c] > found ? parts[c] : found;");
        emitter.close();
        let marks = format!("marks[y * {} + x]", SIDE + 1);
        emitter.line(format!("{marks} = found;"));
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.line("found = largest;");
        emitter.open(format!("for (int i = 0; i < {SIDE}; ++i)"));
        emitter.line(format!("const float mark = marks[y * {} + i];", SIDE + 1));
        emitter.line("found = mark > found ? mark : found;");
        emitter.close();
        emitter.line("const float shrink = exp(largest - found);");
        emitter.line("largest = found;");
        emitter.line("total *= shrink;");
        emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
        emitter.line("const float power = exp(parts[c] - found);");
        emitter.line("total += power;");
        emitter.line(format!("weights[y * {} + c * {SIDE} + x] = power;", WIDTH + 1));
        emitter.close();
        emitter.line(format!("for (int i = 0; i < {}; ++i) sums[i] *= shrink;", panels * OWN));
    }

    /// Adds the values of a block of keys, weighted with the powers, for a panel of channels.
    fn weigh(&self, emitter: &mut Emitter<'_>, panel: i64, keys: &str) {
        let Kernel { program, a, .. } = self;
        let index = emitter.index_type();
        let channels = emitter.scalar(program.axis(a.channels).extent);
        emitter.open(format!("for (int j0 = 0; j0 < {WIDTH} && block + j0 < {keys}; j0 += {SIDE})"));
        emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
        emitter.line(format!("const {index} key = block + j0 + y, channel = {} + c * {SIDE} + x;", panel * WIDTH));
        emitter.bind(a.keys, "key");
        emitter.bind(a.channels, "channel");
        let value = emitter.value_if(&format!("key < {keys} && channel < {channels}"), a.value);
        emitter.line(format!("tile[y * {} + c * {SIDE} + x] = {};", WIDTH + 1, value.text));
        emitter.close();
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.open(format!("for (int j = 0; j < {SIDE}; ++j)"));
        emitter.line(format!("const float power = weights[y * {} + j0 + j];", WIDTH + 1));
        emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
        emitter.line(format!("const int i = {} + c;", panel * OWN));
        emitter.line(format!("sums[i] = fma(power, tile[j * {} + c * {SIDE} + x], sums[i]);", WIDTH + 1));
        emitter.close();
        emitter.close();
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.close();
    }

    fn store(&self, emitter: &mut Emitter<'_>, stage: &Stage, total: E) {
        let Kernel { program, a, panels, .. } = self;
        let index = emitter.index_type();
        emitter.line(format!("marks[y * {} + x] = total;", SIDE + 1));
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.line("total = 0;");
        emitter.line(format!("for (int i = 0; i < {SIDE}; ++i) total += marks[y * {} + i];", SIDE + 1));
        let channels = emitter.scalar(program.axis(a.channels).extent);
        emitter.line(format!("const {index} row = first_row + y;"));
        emitter.open(format!("for (int i = 0; i < {}; ++i)", panels * OWN));
        emitter.line(format!("const {index} channel = i * {SIDE} + x;"));
        emitter.line(format!("if (row >= row_count || channel >= {channels}) continue;"));
        bind_linear(emitter, program, &a.rows, "row".into());
        emitter.bind(a.channels, "channel");
        emitter.define(total, Value { text: "total".into(), vector: false });
        emitter.define(a.sum, Value { text: "sums[i]".into(), vector: false });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
    }
}
