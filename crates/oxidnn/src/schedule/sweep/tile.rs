//! Transpositions: what is contiguous along one axis is read along it, turned in registers, and written along another.
//!
//! A work-item takes a few cache lines of output at a time and runs along the input, so that both are read and written in
//! whole lines. Where the input's rows are short, several of them make a longer run of the output. The last tiles, of what no
//! whole ones are left of, begin before the end of those before them.

use super::loops::Loops;
use super::words::{self, Words};
use super::{Sweep, WORTH, takes};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, ceil, needs_wide_indices};

/// Bytes of a cache line.
const LINE: i64 = 64;
/// Bytes that are written side by side: memory takes long runs best.
const LONGEST_RUN: i64 = 1024;
/// Bytes that are read while those runs are written; they come in lines of which some are needed later.
const INNER_CACHE: i64 = 128 << 10;

/// A stage as tiles.
#[derive(Debug)]
pub(super) struct Tiles {
    program: Program,
    stage: Stage,
    /// The axis along which is written, and the one along which is read.
    across: AxisId,
    along: AxisId,
    /// The loads that are turned, or the words that are computed.
    turned: Vec<E>,
    words: Option<Words>,
    /// Rows and columns of a tile, and tiles side by side; so many of them are turned before they are written as fill cache lines.
    side: i64,
    count: i64,
    lines: i64,
    others: Vec<AxisId>,
    chunk: E,
    chunks: E,
    /// How many small matrices a work-item turns, and how many there are.
    several: Option<(E, E)>,
    streams: Option<E>,
    /// Whether there are last tiles that overlap those before them.
    overlaps: bool,
    /// Whether the compiler has a function that picks elements of two vectors.
    shuffles: bool,
    global: usize,
}

impl Tiles {
    /// Sees a stage that computes short elements as a transposition of words, if it is one.
    pub fn of_words(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Tiles> {
        let (program, stage, words) = words::computed(program, stage)?;
        let tiles = Tiles::of(&program, &stage, profile)?;
        Some(Tiles { words: Some(words), ..tiles })
    }

    /// Sees a stage as a transposition, if it is one.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Tiles> {
        let roots = program.roots(stage);
        if !takes(program, stage, profile) || !program.reductions(roots.iter().copied()).is_empty() {
            return None;
        }
        let unit = |offset: E, axis: AxisId| program.constant_step(offset, axis) == Some(1);
        let across = *stage.axes.iter().find(|&&axis| stage.stores.iter().all(|store| unit(store.offset, axis)))?;
        let mut loads = Vec::new();
        program.visit(roots, &mut |e| {
            if let Node::Load { offset, guard, .. } = *program.node(e) {
                loads.push((e, offset, guard));
            }
        });
        let turned: Vec<_> = loads
            .iter()
            .filter(|(_, offset, _)| program.depends_on(*offset, across) && !unit(*offset, across))
            .collect();
        let (_, first, _) = turned.first()?;
        let along = *stage.axes.iter().find(|&&axis| axis != across && unit(*first, axis))?;
        let fits = |offset: E, guard: Option<E>| guard.is_none() && unit(offset, along);
        if !turned.iter().all(|(_, offset, guard)| fits(*offset, *guard)) {
            return None;
        }
        let bytes = |tensor: TensorId| program.tensor(tensor).data_type.bits() as i64 / 8;
        let sub_byte =
            turned.iter().any(|(e, _, _)| matches!(program.node(*e), Node::Load { tensor, .. } if bytes(*tensor) == 0));
        let doubles = turned.iter().any(|(e, _, _)| program.ty(*e) == Ty::F64);
        let shortest = program.extent(across)?.min(program.extent(along)?);
        let most = (profile.vector_bytes as i64 / if doubles { 8 } else { 4 }).min(16);
        let side = [16, 8, 4].into_iter().find(|&side| side <= shortest && side <= most)?;
        if sub_byte || stage.bounds.is_some_and(|bounds| !grows(program, bounds)) {
            return None;
        }
        let turned: Vec<E> = turned.iter().map(|(e, _, _)| *e).collect();
        let narrowest = stage.stores.iter().map(|store| bytes(store.tensor)).min()?.max(1);
        let row = program.extent(along)? * bytes_read(program, &turned);
        let width = (LONGEST_RUN / narrowest).min(INNER_CACHE / row).max(LINE / narrowest);
        let count = (width / side).clamp(1, (program.extent(across)? / side).max(1));
        let fills = LINE / (side * narrowest);
        let lines = [4, 2].into_iter().find(|&lines| lines <= fills && lines <= count).unwrap_or(1);
        let count = count - count % lines;
        let others: Vec<AxisId> = stage.axes.iter().copied().filter(|&a| a != across && a != along).collect();
        let mut program = program.clone();
        // The loop over blocks of `across` is cut; `along` is inside of it.
        let mut order = others.clone();
        order.extend([across, along]);
        let loops = Loops::of(&program, &order, order.len() - 1, &[], None, profile);
        let width = side * count;
        let extent = program.extent(across)?;
        let chunk = if loops.looped < order.len() - 1 { loops.chunk } else { 1 };
        let chunk = if loops.looped < order.len() - 2 { extent } else { ceil(chunk, width) * width };
        let chunks = ceil(extent, chunk);
        let outer = program.points(&others)?;
        // Small matrices are not worth a work-item each, but everybody gets some.
        let points = extent * program.extent(along)?;
        let worth = WORTH.min(outer * points / (4 * profile.compute_units as i64));
        let each = if chunks == 1 { (worth / points.max(1)).max(1) } else { 1 };
        let several = (each > 1).then(|| (program.param(each), program.param(outer)));
        let whole = extent % width == 0 && program.extent(along)? % side == 0;
        let overlaps = !whole && !reads_in_place(&program, stage, [across, along], &turned);
        let streams = Sweep::streams(&mut program, stage, profile);
        let (chunk, chunk_count) = (program.param(chunk), program.param(chunks));
        Some(Tiles {
            program,
            stage: stage.clone(),
            across,
            along,
            turned,
            words: None,
            side,
            count,
            lines,
            others,
            chunk,
            chunks: chunk_count,
            several,
            streams,
            overlaps,
            shuffles: profile.clang_builtins,
            global: (ceil(outer, each) * chunks) as usize,
        })
    }

    pub fn schedule(&self) -> Scheduled {
        let Tiles { program, stage, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, self.elements()));
        self.body(&mut emitter);
        let mut tensors = program.stage_tensors(self.elements());
        tensors.extend(self.words.iter().map(|_| (stage.stores[0].tensor, true)));
        let source = emitter.finish(stage.name, ONE_ITEM, &tensors);
        Scheduled::new(program, "tile", source, NdRange { global: [self.global, 1, 1], local: Some([1; 3]) })
    }

    /// The stage with elements in place of words.
    fn elements(&self) -> &Stage {
        self.words.as_ref().map_or(&self.stage, |words| &words.elements)
    }

    fn body(&self, emitter: &mut Emitter<'_>) {
        let Tiles { program, stage, across, along, side, count, .. } = self;
        let index = emitter.index_type();
        if let Some(streams) = self.streams {
            let condition = emitter.scalar(streams);
            emitter.set_streaming(Some(condition));
        }
        let (chunk, chunks) = (emitter.scalar(self.chunk), emitter.scalar(self.chunks));
        let (rows, columns) =
            (emitter.scalar(program.axis(*across).extent), emitter.scalar(program.axis(*along).extent));
        let width = side * count;
        emitter.line(format!("const {index} item = ({index})get_global_id(0);"));
        if let Some((each, all)) = self.several {
            let (each, all) = (emitter.scalar(each), emitter.scalar(all));
            emitter.line(format!("const {index} first = 0, last = {rows};"));
            emitter.line(format!("const {index} end_outer = min(item * {each} + {each}, {all});"));
            emitter.open(format!("for ({index} outer = item * {each}; outer < end_outer; ++outer)"));
        } else {
            emitter.line(format!("const {index} first = item % {chunks} * {chunk};"));
            emitter.line(format!("const {index} last = min(first + {chunk}, {rows});"));
            emitter.open("");
            emitter.line(format!("const {index} outer = item / {chunks};"));
        }
        bind_linear(emitter, program, &self.others, "outer".into());
        emitter.open(format!("for ({index} r0 = first; r0 < last; r0 += {width})"));
        emitter.open(format!("for ({index} c0 = 0; c0 < {columns}; c0 += {side})"));
        let mut tests = vec![format!("r0 + {width} <= last"), format!("c0 + {side} <= {columns}")];
        if let Some(bounds) = stage.bounds {
            emitter.bind(*across, format!("(r0 + {})", width - 1));
            emitter.bind(*along, format!("(c0 + {})", side - 1));
            tests.push(emitter.scalar(bounds));
        }
        emitter.open(format!("if ({})", tests.join(" && ")));
        emitter.open(format!("for (int s = 0; s < {count}; s += {})", self.lines));
        emitter.line(format!("const {index} r = r0 + s * {side};"));
        self.tiles(emitter, "c0", self.lines);
        emitter.close();
        emitter.line("continue;");
        emitter.close();
        if self.overlaps {
            self.overlapping(emitter, &columns);
        }
        emitter.open(format!("for ({index} r = r0; r < min(r0 + {width}, last); ++r)"));
        emitter.open(format!("for ({index} c = c0; c < min(c0 + {side}, {columns}); ++c)"));
        emitter.bind(*across, "r");
        emitter.bind(*along, "c");
        self.single(emitter);
        (0..5).for_each(|_| emitter.close());
    }

    /// The element, or the word, at which the axes stand.
    fn single(&self, emitter: &mut Emitter<'_>) {
        let stage = &self.stage;
        if let Some(words) = &self.words {
            return words.members(emitter);
        }
        if let Some(bounds) = stage.bounds {
            let inside = emitter.scalar(bounds);
            emitter.open(format!("if (!({inside}))"));
            stage.stores.iter().for_each(|store| emitter.store_zero(store));
            emitter.line("continue;");
            emitter.close();
        }
        stage.stores.iter().for_each(|store| emitter.store(store));
    }

    /// Single tiles, the last of which begin where they end with the last row or column.
    fn overlapping(&self, emitter: &mut Emitter<'_>, columns: &str) {
        let Tiles { stage, across, along, side, count, .. } = self;
        let index = emitter.index_type();
        emitter.line(format!("const {index} c1 = min(c0, {columns} - {side});"));
        emitter.line(format!("const {index} end = min(r0 + {}, last);", side * count));
        let mut tests = vec![format!("last - first >= {side}")];
        if let Some(bounds) = stage.bounds {
            emitter.bind(*across, "(end - 1)");
            emitter.bind(*along, format!("(c1 + {})", side - 1));
            tests.push(emitter.scalar(bounds));
        }
        emitter.open(format!("if ({})", tests.join(" && ")));
        emitter.open(format!("for ({index} r1 = r0; r1 < end; r1 += {side})"));
        emitter.line(format!("const {index} r = min(r1, last - {side});"));
        self.tiles(emitter, "c1", 1);
        emitter.close();
        emitter.line("continue;");
        emitter.close();
    }

    /// Tiles from a column on, as many as fill cache lines: read, turned, written.
    fn tiles(&self, emitter: &mut Emitter<'_>, column: &str, lines: i64) {
        let Tiles { program, stage, across, along, side, .. } = self;
        let mut tiles = Vec::new();
        for &e in &self.turned {
            let (name, all) = (emitter.fresh("tile"), emitter.fresh("tiles"));
            emitter.set_lanes(Some((*along, *side as usize)));
            let vector_type = emitter.type_name(program.ty(e), true);
            emitter.line(format!("{vector_type} {all}[{lines}][{side}];"));
            if lines > 1 {
                emitter.line("#pragma unroll");
            }
            emitter.open(format!("for (int k = 0; k < {lines}; ++k)"));
            emitter.line(format!("{vector_type} {name}[{side}], {name}_[{side}];"));
            emitter.open(format!("for (int j = 0; j < {side}; ++j)"));
            emitter.bind(*across, format!("(r + k * {side} + j)"));
            emitter.bind(*along, column);
            let row = match &self.words {
                Some(words) => words.row(emitter, column, *side),
                None => emitter.wide_value(e),
            };
            emitter.line(format!("{name}[j] = {row};"));
            emitter.close();
            emitter.set_lanes(None);
            let names = (name.clone(), format!("{name}_"));
            let turned =
                if self.shuffles { shuffled(emitter, names, *side) } else { interleaved(emitter, names, *side) };
            emitter.line(format!("for (int i = 0; i < {side}; ++i) {all}[k][i] = {turned}[i];"));
            emitter.close();
            tiles.push((e, all));
        }
        emitter.open(format!("for (int i = 0; i < {side}; ++i)"));
        emitter.bind(*along, format!("({column} + i)"));
        emitter.set_lanes(Some((*across, *side as usize)));
        if lines > 1 && stage.stores.iter().all(|store| self.fills_line(emitter, store, lines)) {
            stage.stores.iter().for_each(|store| self.store_line(emitter, store, &tiles, lines));
        } else {
            emitter.open(format!("for (int k = 0; k < {lines}; ++k)"));
            self.bind_tile(emitter, &tiles, "k");
            stage.stores.iter().for_each(|store| emitter.store(store));
            emitter.close();
        }
        emitter.set_lanes(None);
        emitter.close();
    }

    /// Makes the loads that were turned stand for what they are in a tile.
    fn bind_tile(&self, emitter: &mut Emitter<'_>, tiles: &[(E, String)], tile: &str) {
        emitter.bind(self.across, format!("(r + {tile} * {})", self.side));
        for (e, name) in tiles {
            emitter.define(*e, Value { text: format!("{name}[{tile}][i]"), vector: true });
        }
    }

    /// Whether what is stored of some tiles side by side is a vector of words that are a cache line at the most.
    fn fills_line(&self, emitter: &Emitter<'_>, store: &Store, lines: i64) -> bool {
        let bytes = self.side * self.program.tensor(store.tensor).data_type.bits() as i64 / 8;
        emitter.stores_vectors(store, self.side as usize) && bytes >= 8 && lines * bytes <= LINE
    }

    /// Stores a row of tiles side by side as one vector.
    fn store_line(&self, emitter: &mut Emitter<'_>, store: &Store, tiles: &[(E, String)], lines: i64) {
        let element = |k: i64| {
            self.bind_tile(emitter, tiles, &k.to_string());
            emitter.elements(store).expect("neighbours are stored as vectors")
        };
        let elements: Vec<String> = (0..lines).map(element).collect();
        emitter.bind(self.across, "r");
        emitter.store_elements(store, &elements);
    }
}

/// Whether a stage reads what its result takes the place of, so that no element may be computed twice: its own tensors, or one of
/// the caller's that lies as they do.
fn reads_in_place(program: &Program, stage: &Stage, axes: [AxisId; 2], turned: &[E]) -> bool {
    let written: Vec<Binding> = stage.stores.iter().map(|store| program.tensor(store.tensor).binding).collect();
    let mut found = false;
    program.visit(program.roots(stage), &mut |e| {
        if let Node::Load { tensor, offset, .. } = *program.node(e) {
            let binding = program.tensor(tensor).binding;
            let is_whole = axes.iter().all(|&axis| program.depends_on(offset, axis));
            let may_be_written = is_whole && matches!(binding, Binding::Arg { .. }) && !turned.contains(&e);
            found |= may_be_written || written.contains(&binding);
        }
    });
    found
}

/// Turns a matrix by instructions that mix two rows in one step; returns the one of two arrays that holds it then.
fn shuffled(emitter: &mut Emitter<'_>, (mut from, mut to): (String, String), side: i64) -> String {
    // Elements of two rows in turn, pairs of them, and then groups of four, of which each holds four rows of a column.
    let of_fours = |parts: [i64; 4]| -> Vec<i64> {
        let place = |group: i64, part: i64| group + part % 4 + part / 4 * side;
        (0..side).step_by(4).flat_map(|group| parts.map(|part| place(group, part))).collect()
    };
    let every_second = |first: i64| -> Vec<i64> {
        (first..side / 2).step_by(2).flat_map(|group| (0..4).map(move |part| 4 * group + part)).collect()
    };
    let mut steps =
        vec![(1, of_fours([0, 4, 1, 5]), of_fours([2, 6, 3, 7])), (2, of_fours([0, 1, 4, 5]), of_fours([2, 3, 6, 7]))];
    let distances =
        std::iter::successors(Some(4), |distance| Some(2 * distance)).take_while(|&distance| distance < side);
    steps.extend(distances.map(|distance| (distance, every_second(0), every_second(1))));
    for (distance, first, second) in steps {
        for i in (0..side).filter(|i| i & distance == 0) {
            // Of four rows the second and the third become the third and the second column.
            let targets = if distance == 2 { [i + i % 2, i + i % 2 + 1] } else { [i, i + distance] };
            for (target, places) in targets.into_iter().zip([&first, &second]) {
                let places: Vec<String> = places.iter().map(|place| place.to_string()).collect();
                let (a, b) = (format!("{from}[{i}]"), format!("{from}[{}]", i + distance));
                emitter.line(format!("{to}[{target}] = __builtin_shufflevector({a}, {b}, {});", places.join(", ")));
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// The same without such instructions. Interleaving the halves of a matrix rotates the bits of its indices; as often as there are
/// bits in one of the two exchanges them.
fn interleaved(emitter: &mut Emitter<'_>, (mut from, mut to): (String, String), side: i64) -> String {
    for _ in 0..side.ilog2() {
        for i in 0..side / 2 {
            for (part, half) in ["lo", "hi"].into_iter().enumerate() {
                let target = 2 * i as usize + part;
                emitter.line(format!(
                    "{to}[{target}].even = {from}[{i}].{half}; {to}[{target}].odd = {from}[{}].{half};",
                    i + side / 2
                ));
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// The bytes of an element of the widest tensor that is read.
fn bytes_read(program: &Program, loads: &[E]) -> i64 {
    let bits = loads.iter().map(|&e| match program.node(e) {
        Node::Load { tensor, .. } => program.tensor(*tensor).data_type.bits() as i64,
        _ => 8,
    });
    bits.max().unwrap_or(8) / 8
}

/// Whether conditions hold up to some position of every axis.
pub(super) fn grows(program: &Program, bounds: E) -> bool {
    program.conjuncts(bounds).into_iter().all(|condition| match *program.node(condition) {
        Node::Binary(BinaryOp::Lt, a, b) => {
            program.free_axes(b).is_empty()
                && program
                    .free_axes(a)
                    .iter()
                    .all(|&axis| program.is_linear(a, axis) && program.step(a, axis).is_some_and(|step| step >= 0))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::runtime::{DeviceProfile, DeviceType};

    #[test]
    fn small_matrices_share_work_items_and_large_ones_are_shared_out() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, compute_units: 2, ..host };
        let items = |op: Op| {
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            crate::schedule::prepare(&mut program, &profile);
            let scheduled = crate::schedule::schedule(&program, &program.stages[0], &profile).unwrap();
            assert_eq!(scheduled.name, "tile", "{op:?}");
            scheduled.range.global[0]
        };
        let tagged = |dims: &[i64], tag: &str| {
            MemoryDesc::with_tag(dims, DataType::F32, FormatTag::from_name(tag).unwrap()).unwrap()
        };
        let pixels = tagged(&[4, 64, 28, 28], "acdb");
        let small = items(Shuffle::forward(PropKind::ForwardInference, &pixels, &pixels, 1, 4).unwrap().into());
        let large = items(Reorder::new(&tagged(&[1024, 1024], "ab"), &tagged(&[1024, 1024], "ba")).unwrap().into());
        assert!((8..64).contains(&small), "{small} work-items turn small matrices");
        assert!(large >= 8, "{large} work-items turn a large one");
    }
}
