//! What is asked for before its turn comes.
//!
//! A line that is read once is of no use to any cache but the innermost. Where what inner caches drop goes to the outermost, lines that nobody
//! reads again take as much of its time as lines from memory do; asked for as such, shortly before, they pass it by.

use std::collections::BTreeSet;

use super::emit::share_loops;
use super::{Sweep, is_transcendental};
use crate::codegen::opencl::{Cache, Emitter};
use crate::program::*;

/// Elements of a row that fit into an inner cache next to the row before.
const LONGEST_PREFETCHED: i64 = 65536;
/// Bits of a cache line.
const LINE_BITS: i64 = 512;
/// How many bytes ahead a row is asked for that is only read: a page, beyond which processors do not look by themselves.
const PAGE: i64 = 4096;
/// The same for the only thing that is read, where it passes by the caches: what is on its way from memory then is more than processors ask for
/// by themselves.
const TWO_PAGES: i64 = 8192;
/// The same for windows, whose lines take turns: half of a page is too short for many channels, and from three quarters of it on processors are late.
const FORTY_LINES: i64 = 2560;
/// The same for each of several: processors do look within a page, and two lines are what it takes to be before them. Farther ahead, pages of
/// one are in the way of those of others.
const TWO_LINES: i64 = 128;

/// Of a tensor that is so many times as large as the outermost cache, what the cache keeps for the next stage is not worth its time.
const KEPT: usize = 3;

/// A load, and how many elements ahead of it a line is asked for.
pub(super) struct Ahead {
    pub tensor: TensorId,
    pub offset: E,
    pub elements: String,
    pub to: Cache,
}

/// The loads of a stage that read each element of their tensors once, or hardly more often, and leave nothing in a cache of so many bytes to the
/// stages behind it.
pub(super) fn read_once(program: &Program, stage: &Stage, cache: usize) -> BTreeSet<E> {
    let values: Vec<E> = stage.stores.iter().map(|store| store.value).collect();
    let mut loops: Vec<(Vec<AxisId>, BTreeSet<E>)> = vec![(Vec::new(), program.outside_of_reductions(values.clone()))];
    let mut made: Vec<E> = Vec::new();
    for e in program.reductions(values) {
        let Node::Reduce { axes, body, .. } = program.node(e) else { continue };
        let inside = program.outside_of_reductions([*body]);
        match made.iter().position(|&other| share_loops(program, other, e)) {
            Some(at) => loops[at + 1].1.extend(inside),
            None => {
                made.push(e);
                loops.push((axes.clone(), inside));
            }
        }
    }
    // Where a sum is cut into parts, the last may be shorter than others.
    let extent = |&axis: &AxisId| program.evaluate(program.axis(axis).extent, &|_| Some(0));
    let points = |reduced: &[AxisId]| {
        stage.axes.iter().chain(reduced).try_fold(1i64, |points, axis| points.checked_mul(extent(axis)?))
    };
    let later = read_later(program, stage);
    let is_kept = |tensor: TensorId| {
        let tensor = program.tensor(tensor);
        let bytes = |elements: i64| tensor.data_type.bytes(elements as usize);
        later.contains(&tensor.binding) && tensor.elements.is_none_or(|elements| bytes(elements) < KEPT * cache)
    };
    let mut found = BTreeSet::new();
    for (at, (axes, nodes)) in loops.iter().enumerate() {
        for &e in nodes {
            if let Node::Load { tensor, .. } = *program.node(e)
                && !is_kept(tensor)
                && !loops.iter().enumerate().any(|(other, (_, nodes))| other != at && nodes.contains(&e))
                && points(axes)
                    .zip(program.tensor(tensor).elements)
                    .is_some_and(|(points, elements)| points < 2 * elements)
            {
                found.insert(e);
            }
        }
    }
    found
}

/// What stages read that come after one, of which schedules may have changed the loops: some of it may still be in a cache then.
fn read_later(program: &Program, stage: &Stage) -> Vec<Binding> {
    let writes_same = |other: &Stage| other.stores.iter().zip(&stage.stores).any(|(a, b)| a.tensor == b.tensor);
    let next = program.stages.iter().position(writes_same).map_or(0, |at| at + 1);
    let read = program.stages[next..].iter().flat_map(|later| program.stage_tensors(later));
    read.filter(|(_, written)| !written).map(|(tensor, _)| program.tensor(tensor).binding).collect()
}

impl Sweep {
    /// Elements of a tensor in so many bytes.
    fn elements_of(&self, tensor: TensorId, bytes: i64) -> i64 {
        8 * bytes / self.program.tensor(tensor).data_type.bits() as i64
    }

    /// A load's line that is to come from memory, along one run of it.
    fn memory_ahead(&self, e: E) -> Option<Ahead> {
        let is_alone = self.once.len() == 1;
        self.line_ahead(e, if is_alone { TWO_PAGES } else { TWO_LINES })
    }

    /// A load's line that is to come from memory: a page ahead, or as much as is given where it passes by the caches.
    fn line_ahead(&self, e: E, once: i64) -> Option<Ahead> {
        let Node::Load { tensor, offset, .. } = *self.program.node(e) else { return None };
        let (bytes, to) = match self.once.contains(&e) {
            true => (once, Cache::None),
            false => (PAGE, Cache::Inner),
        };
        Some(Ahead { tensor, offset, elements: self.elements_of(tensor, bytes).to_string(), to })
    }

    /// What a reduction of a row asks for ahead, and how far. Where the row's elements are walked again after it, the next row
    /// is asked for then, unless arithmetic leaves time for it here, or rows are of pairs and short.
    pub(super) fn next_row(
        &self,
        emitter: &mut Emitter<'_>,
        e: E,
        axis: AxisId,
        close: bool,
        pairs: bool,
    ) -> Vec<Ahead> {
        let is_last = self.rows.last().is_some_and(|(last, _, _)| *last == e);
        if !is_last || self.streams.is_none() {
            return Vec::new();
        }
        if self.order.len() > self.fixed {
            let has_time = !close || self.is_costly(e, axis);
            let to = if close && (!pairs || self.is_costly(e, axis)) { Cache::Innermost } else { Cache::Inner };
            // What was read of the next row is in an inner cache when this one was written.
            if self.next_in_pairs().is_some() {
                return self.after_next(emitter, e, axis);
            }
            return if has_time || pairs { self.along_rows(emitter, e, axis, to) } else { Vec::new() };
        }
        if !self.reads_far {
            return Vec::new();
        }
        let program = &self.program;
        let mut read = Vec::new();
        program.visit([e], &mut |load| {
            if matches!(*program.node(load), Node::Load { offset, .. } if program.constant_step(offset, axis) == Some(1)) {
                read.extend(self.memory_ahead(load));
            }
        });
        read
    }

    /// Whether an element of a row that starts with a cache line starts one, too.
    pub(super) fn starts_line(&self, tensor: TensorId, element: i64) -> bool {
        element * self.program.tensor(tensor).data_type.bits() as i64 % LINE_BITS == 0
    }

    /// Asks for the elements of the row after the next, while those of this one are written; not where arithmetic takes
    /// longer than memory.
    pub(super) fn prefetch_rows(&self, emitter: &mut Emitter<'_>, axis: AxisId, element: i64) {
        let is_cheap = self.kept.is_none();
        let Some(&(e, row, _)) = self.rows.last().filter(|(_, row, _)| *row == axis && is_cheap) else { return };
        let next = self.after_next(emitter, e, row);
        for Ahead { tensor, offset, elements, to } in next {
            if self.starts_line(tensor, element) {
                emitter.ask_ahead(tensor, offset, &elements, to);
            }
        }
    }

    /// Asks for what is read later where nothing is reduced: what passes by the caches; or what is on the next page, if arithmetic fills the
    /// window in which a processor looks for loads by itself.
    pub(super) fn prefetch_page(&self, emitter: &mut Emitter<'_>, axis: AxisId, element: i64) {
        let (program, values) = (&self.program, self.stage.stores.iter().map(|store| store.value));
        let is_plain = self.streams.is_some() && program.reductions(values.clone()).is_empty();
        if !is_plain || !self.reads_far || (self.once.is_empty() && !self.computes_long(axis)) {
            return;
        }
        let mut read = Vec::new();
        program.visit(values, &mut |e| {
            if let Node::Load { tensor, offset, .. } = *program.node(e)
                && program.constant_step(offset, axis) == Some(1)
                && self.starts_line(tensor, element)
                && (self.once.is_empty() || self.once.contains(&e))
            {
                read.extend(self.memory_ahead(e));
            }
        });
        for Ahead { tensor, offset, elements, to } in read {
            emitter.ask_ahead(tensor, offset, &elements, to);
        }
    }

    /// Whether elements along an axis take more than a few instructions each: powers and the like, or rounding to short types.
    fn computes_long(&self, axis: AxisId) -> bool {
        let program = &self.program;
        let rounds = |store: &Store| {
            let is_short = program.tensor(store.tensor).data_type.bits() < 32;
            is_short && program.ty(store.value) == Ty::F32 && !program.is_bf16(store.value)
        };
        let mut found = self.stage.stores.iter().any(rounds);
        program.visit(self.stage.stores.iter().map(|store| store.value), &mut |e| {
            found |= is_transcendental(program.node(e)) && program.depends_on(e, axis);
        });
        found
    }

    /// What a reduction of a row reads along it in the row after the next.
    pub(super) fn after_next(&self, emitter: &mut Emitter<'_>, e: E, axis: AxisId) -> Vec<Ahead> {
        let next = self.along_rows(emitter, e, axis, Cache::Inner).into_iter();
        next.map(|ahead| Ahead { elements: format!("2 * {}", ahead.elements), ..ahead }).collect()
    }

    /// What a reduction of a row reads along it in the next row.
    fn along_rows(&self, emitter: &mut Emitter<'_>, e: E, axis: AxisId, to: Cache) -> Vec<Ahead> {
        let program = &self.program;
        let short = program.extent(axis).is_some_and(|extent| extent <= LONGEST_PREFETCHED);
        let Node::Reduce { axes, body, .. } = program.node(e) else { return Vec::new() };
        let Some(&outer) = self.order[..self.fixed].last().filter(|_| short && self.streams.is_some()) else {
            return Vec::new();
        };
        if axes.len() != 1 {
            return Vec::new();
        }
        let mut next = Vec::new();
        let body = *body;
        program.visit([body], &mut |load| {
            if let Node::Load { tensor, offset, .. } = *program.node(load)
                && program.constant_step(offset, axis) == Some(1)
                && program.is_linear(offset, outer)
                && let Some(&(_, ahead)) = self.ahead.iter().find(|(of, _)| *of == offset)
            {
                next.push((tensor, offset, ahead));
            }
        });
        let ahead = |(tensor, offset, row)| Ahead { tensor, offset, elements: emitter.scalar(row), to };
        next.into_iter().map(ahead).collect()
    }

    /// Asks for what reductions across the lanes read at a later step: the next one, or what is to come from memory.
    pub(super) fn prefetch_steps(&self, emitter: &mut Emitter<'_>, reductions: &[E], axis: AxisId) {
        let program = &self.program;
        if self.streams.is_none() {
            return;
        }
        let Some(Node::Reduce { axes, .. }) = reductions.first().map(|&e| program.node(e)) else { return };
        // What a reduction inside of another reads is here already.
        let is_here = |offset: E| program.free_axes(offset).iter().all(|a| self.order.contains(a) || axes.contains(a));
        let mut read = Vec::new();
        program.visit(reductions.iter().copied(), &mut |load| {
            if let Node::Load { tensor, offset, .. } = *program.node(load)
                && program.constant_step(offset, axis) == Some(1)
                && is_here(offset)
                && let Some(&(_, step)) = self.steps.iter().find(|(of, _)| *of == offset)
            {
                let far = program.value(step).is_some_and(|step| step > self.elements_of(tensor, PAGE));
                // What is side by side in a cache comes by itself.
                if far {
                    read.push(Ahead { tensor, offset, elements: emitter.scalar(step), to: Cache::Inner });
                } else if self.reads_far {
                    // Runs are as short as strips, too short for processors to notice them.
                    read.extend(self.line_ahead(load, FORTY_LINES));
                }
            }
        });
        for Ahead { tensor, offset, elements, to } in read {
            let bits = program.tensor(tensor).data_type.bits() as i64 * emitter.lane_count() as i64;
            emitter.open(if bits < LINE_BITS { format!("if (s % {} == 0)", LINE_BITS / bits) } else { String::new() });
            emitter.ask_ahead(tensor, offset, &elements, to);
            emitter.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KEPT;
    use crate::desc::*;
    use crate::runtime::LEAST_CACHE;
    use crate::schedule::sweep::sample::{text_of, window};

    /// How many lines a text asks for that pass by the caches.
    fn asked(op: impl Into<Op>, drops_outward: bool) -> usize {
        text_of(op, |profile| (profile.drops_outward, profile.clang_builtins) = (drops_outward, true))
            .matches(", 0, 0);")
            .count()
    }

    /// Whether it asks for lines so many elements ahead.
    fn asks_ahead(op: impl Into<Op>, elements: i64) -> bool {
        text_of(op, |profile| (profile.drops_outward, profile.clang_builtins) = (true, true))
            .contains(&format!(" + ({elements})), 0, 0);"))
    }

    fn plain(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
    }

    #[test]
    fn one_tensor_is_asked_for_far_ahead_and_several_shortly() {
        let (prop, large) = (PropKind::ForwardInference, plain(&[4096, 4096]));
        assert!(asks_ahead(Eltwise::forward(prop, AlgKind::EltwiseRelu, &large, &large, 0.0, 0.0).unwrap(), 2048));
        assert!(asks_ahead(Binary::new(AlgKind::BinaryAdd, &large, &large, None, &large).unwrap(), 32));
        // Windows that do not overlap are read in runs of a few lines.
        let images = |extent| {
            let tag = FormatTag::from_name("acdb").unwrap();
            MemoryDesc::with_tag(&[64, 128, extent, extent], DataType::F32, tag).unwrap()
        };
        let kernel = PoolWindow { kernel: Dims::from([2, 2]), ..window(2, 0) };
        assert!(asks_ahead(
            Pooling::forward(prop, AlgKind::PoolingMax, &images(64), &images(32), kernel).unwrap(),
            640
        ));
    }

    #[test]
    fn values_that_stay_for_the_points_of_an_image_are_read_without_asking() {
        let tag = FormatTag::from_name("acdb").unwrap();
        let images = MemoryDesc::with_tag(&[64, 16, 150, 150], DataType::F32, tag).unwrap();
        let channels = MemoryDesc::with_tag(&[1, 16, 1, 1], DataType::F32, tag).unwrap();
        let add = Binary::new(AlgKind::BinaryAdd, &images, &channels, None, &images).unwrap();
        assert_eq!(asked(add, true), 1);
    }

    #[test]
    fn what_is_read_once_and_fits_no_cache_passes_by_them() {
        let (prop, large) = (PropKind::ForwardInference, plain(&[4096, 4096]));
        let relu = |md: &MemoryDesc| Eltwise::forward(prop, AlgKind::EltwiseRelu, md, md, 0.0, 0.0).unwrap();
        assert_eq!(asked(relu(&large), true), 1);
        assert_eq!(asked(relu(&large), false), 0, "its outermost cache is no worse off");
        assert_eq!(asked(relu(&plain(&[16, 4096])), true), 0, "it may be in a cache");
        let add = |other: &MemoryDesc| Binary::new(AlgKind::BinaryAdd, &large, other, None, &large).unwrap();
        assert_eq!(asked(add(&large), true), 2);
        assert_eq!(asked(add(&plain(&[1, 4096])), true), 1, "a row is read again for each");
        let sum = Reduction::new(AlgKind::ReductionSum, &large, &plain(&[4096, 1]), 0.0, 0.0).unwrap();
        assert!(asked(sum, true) > 0);
        // Rows are read again for their elements, and elements by the windows that overlap.
        let softmax = Softmax::forward(prop, AlgKind::SoftmaxAccurate, &large, &large, 1).unwrap();
        assert_eq!(asked(softmax, true), 0);
        // The stage after that of the statistics reads the same images, and is the last to do so. What a cache keeps of them for it counts
        // unless they are much larger.
        let norm = |batch, flags| {
            let tag = FormatTag::from_name("aBcd16b").unwrap();
            let images = MemoryDesc::with_tag(&[batch, 128, 64, 64], DataType::F32, tag).unwrap();
            Normalization::forward(Sharing::Batch, prop, &images, &images, None, None, 1e-3, flags).unwrap()
        };
        let images = |cached: usize| (KEPT * cached / (4 * 128 * 64 * 64)) as i64;
        let (few, many) = (images(LEAST_CACHE) - 1, images(LEAST_CACHE) + 1);
        assert_eq!(asked(norm(few, NormFlags(0)), true), 0);
        assert!(asked(norm(few, NormFlags::USE_GLOBAL_STATS), true) > 0);
        assert!(asked(norm(many, NormFlags(0)), true) > 0);
        let images =
            MemoryDesc::with_tag(&[16, 128, 64, 64], DataType::F32, FormatTag::from_name("acdb").unwrap()).unwrap();
        let pool = Pooling::forward(prop, AlgKind::PoolingMax, &images, &images, window(1, 1)).unwrap();
        assert_eq!(asked(pool, true), 0);
    }
}
