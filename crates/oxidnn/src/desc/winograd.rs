//! How much of a convolution Winograd's algorithm computes at a time: its transformed kernels, tiles and products together stay
//! smaller than what it reads and writes.
//!
//! Kernels grow to four times their size, so for large ones only some of the results' channels are computed at a time. Images grow to more than
//! twice their size, so for large ones only some lines are, and one image after another.

use super::{Convolution, DataType, PropKind};

/// Results along a side of a tile.
pub(crate) const WINOGRAD_OUTPUT: i64 = 4;
/// Elements along a side of a tile.
pub(crate) const WINOGRAD_TILE: i64 = 6;

/// What is computed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WinogradParts {
    /// How many images at once.
    pub images: i64,
    /// How many bands each image is cut into.
    pub bands: i64,
    /// How many slices the channels of the results are cut into.
    pub slices: i64,
    /// Where results wait for bias and attributes.
    pub results: WinogradResults,
}

/// Where results wait for bias and attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WinogradResults {
    /// Nowhere: they go to the destination with them.
    Nowhere,
    /// Those of a part have a place, all parts the same.
    Part,
    /// All have a place of their own.
    All,
}

/// Elements of a cache line.
const LINE: i64 = 16;

/// How far apart the elements of two positions are, where each has so many: an odd number of cache lines.
pub(crate) fn winograd_stride(elements: i64) -> i64 {
    let lines = (elements + LINE - 1) / LINE;
    LINE * (lines | 1)
}

/// Channels of a slice are a multiple of this: whole vectors, whole blocks of layouts.
const CHANNELS: i64 = 16;
/// Elements that are transformed in the time that it takes to launch a kernel.
const LAUNCH: i64 = 1 << 16;
/// Multiplications in the time that it takes to transform an element.
const MULTIPLICATIONS: i64 = 16;
/// Bytes of several images' transformed tiles and products that are worth to be computed at once: they stay in the caches.
const CACHED: i64 = 1 << 22;
/// How often the stages may be written down: each time takes some milliseconds when a primitive is created.
const MOST_COPIES: i64 = 4;
/// Bytes that are lost to alignment, at the most.
const ALIGNMENT: i64 = 1 << 10;

/// The sizes that parts are cut from.
struct Sizes {
    batch: i64,
    groups: i64,
    summed: i64,
    channels: i64,
    /// Results of a channel of an image.
    points: i64,
    /// Rows and columns of tiles.
    rows: i64,
    columns: i64,
    /// Whether the last row of tiles ends with the image, and whether the last column does so too.
    whole_rows: bool,
    is_whole: bool,
    /// Whether kernels come transformed.
    are_ready: bool,
    /// Bytes that a program reads and writes.
    operands: i64,
}

impl Sizes {
    fn of(op: &Convolution) -> Sizes {
        let layer = &op.layer;
        let to = if layer.prop == PropKind::BackwardData { &layer.src } else { &layer.dst };
        let [oc, ic] = [op.filter()[0], op.filter()[1]];
        let (channels, summed) = if layer.prop.is_forward() { (oc, ic) } else { (ic, oc) };
        let [rows, columns] = [2, 3].map(|d| (to.dims()[d] + WINOGRAD_OUTPUT - 1) / WINOGRAD_OUTPUT);
        let bytes = |md: &super::MemoryDesc| md.data_type().bytes(md.nelems(false).max(0) as usize) as i64;
        let are_ready = op.takes_transformed();
        let weights = if are_ready { 4 * WINOGRAD_TILE.pow(2) * op.groups() * oc * ic } else { bytes(&layer.weights) };
        let operands = bytes(&layer.src) + weights + bytes(&layer.dst);
        let [whole_rows, whole_columns] = [2, 3].map(|d| to.dims()[d] % WINOGRAD_OUTPUT == 0);
        let (batch, groups, is_whole) = (to.dims()[0], op.groups(), whole_rows && whole_columns);
        let points = to.dims()[2] * to.dims()[3];
        Sizes { batch, groups, summed, channels, points, rows, columns, whole_rows, is_whole, are_ready, operands }
    }

    /// Elements of the transformed image.
    fn image(&self) -> i64 {
        WINOGRAD_TILE.pow(2) * self.groups * self.rows * self.columns * self.summed
    }

    /// Elements of the products of an image.
    fn products(&self) -> i64 {
        WINOGRAD_TILE.pow(2) * self.groups * self.rows * self.columns * self.channels
    }

    /// Elements of the transformed kernels.
    fn kernels(&self) -> i64 {
        WINOGRAD_TILE.pow(2) * self.groups * self.summed * self.channels
    }

    /// How many parts there are, apart from slices.
    fn runs(&self, parts: &WinogradParts) -> i64 {
        self.batch / parts.images * parts.bands
    }

    /// Bytes of all that lies between the stages.
    fn scratchpad(&self, parts: &WinogradParts) -> i64 {
        let channels = self.groups * self.channels / parts.slices;
        let tiles = parts.images * self.rows / parts.bands * self.columns;
        let kernels = if self.are_ready { 0 } else { self.summed * channels };
        let transformed = [kernels, tiles * self.groups * self.summed, tiles * channels];
        let transformed: i64 =
            transformed.into_iter().map(|elements| WINOGRAD_TILE.pow(2) * winograd_stride(elements)).sum();
        let results = match parts.results {
            WinogradResults::Nowhere => 0,
            WinogradResults::Part => tiles * channels,
            WinogradResults::All => self.batch * self.rows * self.columns * self.groups * self.channels,
        };
        4 * (transformed + WINOGRAD_OUTPUT.pow(2) * results) + ALIGNMENT
    }

    /// Whether it takes longer to multiply without transforms than to transform and to launch kernels, by a good margin.
    fn gains(&self, parts: &WinogradParts) -> bool {
        let saved = 9 * self.points - WINOGRAD_TILE.pow(2) * self.rows * self.columns;
        let saved = saved * self.batch * self.groups * self.summed * self.channels;
        saved / MULTIPLICATIONS > self.cost(parts) * 5 / 4
    }

    /// What it costs to compute in parts, in elements that are transformed.
    fn cost(&self, parts: &WinogradParts) -> i64 {
        let (runs, slices) = (self.runs(parts), parts.slices);
        let (stages, last) = match parts.results {
            WinogradResults::Nowhere => (2, 0),
            WinogradResults::Part => (3, 0),
            WinogradResults::All => (2, 1),
        };
        let transforms = match self.order(parts) {
            WinogradOrder::KernelsOnce => i64::from(!self.are_ready) + runs,
            WinogradOrder::ImagesOnce => 1 + slices,
            WinogradOrder::ImagesAgain => slices * (1 + runs),
            WinogradOrder::KernelsAgain => runs * (1 + slices),
        };
        let elements = self.kernels() + (self.image() + self.products()) * self.batch;
        LAUNCH * (transforms + stages * runs * slices + last) + elements + self.again(parts) + self.beyond_caches(parts)
    }

    /// Elements that are read once more from beyond the caches, where kernels come transformed, so that a part may be larger than what these keep.
    fn beyond_caches(&self, parts: &WinogradParts) -> i64 {
        let is_large = |elements: i64| 4 * elements > CACHED;
        let (runs, images) = (self.runs(parts), (self.image() + self.products()) * self.batch);
        let again = |elements: i64, is_large: bool| if self.are_ready && is_large { elements } else { 0 };
        again(images / 2, is_large(images / runs)) + again((runs - 1) * self.kernels(), is_large(2 * self.kernels()))
    }

    /// Elements that are transformed more than once.
    fn again(&self, parts: &WinogradParts) -> i64 {
        match self.order(parts) {
            WinogradOrder::KernelsOnce | WinogradOrder::ImagesOnce => 0,
            WinogradOrder::ImagesAgain => (parts.slices - 1) * self.image() * self.batch,
            WinogradOrder::KernelsAgain => (self.runs(parts) - 1) * self.kernels(),
        }
    }

    /// What comes first.
    fn order(&self, parts: &WinogradParts) -> WinogradOrder {
        let (runs, slices) = (self.runs(parts), parts.slices);
        if slices == 1 {
            WinogradOrder::KernelsOnce
        } else if runs == 1 {
            WinogradOrder::ImagesOnce
        } else if (slices - 1) * self.image() * self.batch <= (runs - 1) * self.kernels() {
            WinogradOrder::ImagesAgain
        } else {
            WinogradOrder::KernelsAgain
        }
    }

    /// How often the stages are written down: what repeats in a repeat is there for each run of the outer one.
    fn copies(&self, parts: &WinogradParts) -> i64 {
        match self.order(parts) {
            WinogradOrder::KernelsOnce | WinogradOrder::ImagesOnce => 1,
            WinogradOrder::ImagesAgain => parts.slices,
            WinogradOrder::KernelsAgain => self.runs(parts),
        }
    }

    /// All ways to cut, each into equal parts.
    fn candidates(&self, results: &'static [WinogradResults]) -> impl Iterator<Item = WinogradParts> + '_ {
        let divisors = |of: i64| (1..=of).filter(move |n| of % n == 0);
        // Lines beyond the last one would belong to no band.
        let rows = if self.whole_rows { self.rows } else { 1 };
        let cuts_kernels = self.groups == 1 && !self.are_ready;
        let whole = move |slices: &i64| *slices == 1 || (cuts_kernels && self.channels / slices % CHANNELS == 0);
        let is_cached = |images: i64| 4 * images * (self.image() + self.products()) <= CACHED;
        let cached = move |&images: &i64| images == 1 || self.are_ready || is_cached(images);
        let images = divisors(self.batch).filter(cached).map(|images| (images, 1));
        let cuts = images.chain(divisors(rows).skip(1).map(|bands| (1, bands)));
        cuts.flat_map(move |(images, bands)| {
            divisors(self.channels).filter(whole).flat_map(move |slices| {
                results.iter().map(move |&results| WinogradParts { images, bands, slices, results })
            })
        })
    }
}

/// What is transformed when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WinogradOrder {
    /// Kernels first, as there is one slice, then each part.
    KernelsOnce,
    /// Images first, as there is one part, then the kernels of each slice.
    ImagesOnce,
    /// Slice by slice: for each, all parts.
    ImagesAgain,
    /// Part by part: for each, all slices.
    KernelsAgain,
}

impl Convolution {
    /// The parts in which Winograd's algorithm computes it: of those that take less room than the operands the cheapest, else those
    /// that take the least. `in_place` is whether results can go to the destination at once; if they cannot, `padded` is whether that
    /// has padding, which belongs to no part.
    pub(crate) fn winograd_parts(&self, in_place: bool, padded: bool) -> (WinogradParts, WinogradOrder) {
        use WinogradResults::{All, Nowhere, Part};
        let sizes = Sizes::of(self);
        let fits = |parts: &WinogradParts| sizes.scratchpad(parts) <= sizes.operands;
        let results: &[WinogradResults] = match (in_place, padded) {
            (true, _) => &[Nowhere],
            (false, true) => &[All],
            (false, false) => &[All, Part],
        };
        let parts = sizes
            .candidates(results)
            .filter(|parts| sizes.copies(parts) <= MOST_COPIES)
            .min_by_key(|parts| match fits(parts) {
                true => (0, sizes.cost(parts)),
                false => (1, sizes.scratchpad(parts)),
            })
            .unwrap_or(WinogradParts { images: 1, bands: 1, slices: 1, results: All });
        (parts, sizes.order(&parts))
    }

    /// Whether Winograd's algorithm takes less room than the operands whatever the layouts, and less time than direct sums.
    pub(crate) fn winograd_pays(&self) -> bool {
        let sizes = Sizes::of(self);
        let parts = self.winograd_parts(sizes.is_whole, false).0;
        let others = self.winograd_parts(false, false).0;
        sizes.gains(&parts) && [parts, others].iter().all(|parts| sizes.scratchpad(parts) <= sizes.operands)
    }

    /// Whether Winograd's algorithm finds its kernels transformed, if it is what computes this: they were left to the library, or are given so.
    pub(crate) fn takes_transformed(&self) -> bool {
        let weights = &self.layer.weights;
        weights.transformed().is_some() || (weights.is_any() && weights.data_type() == DataType::F32)
    }

    /// The channels of results that are computed at a time, where layouts suit Winograd's algorithm.
    pub(crate) fn winograd_slice(&self) -> i64 {
        let sizes = Sizes::of(self);
        sizes.channels / self.winograd_parts(sizes.is_whole, false).0.slices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{AlgKind, DataType, Dims, MemoryDesc, Window};

    /// A convolution with padding, whose kernels are left to the library or lie as they are.
    fn convolution(batch: i64, ic: i64, oc: i64, side: i64, open: bool) -> Convolution {
        let any = |dims: &[i64]| MemoryDesc::any(dims, DataType::F32).unwrap();
        let both = |value: i64| Dims::from([value, value]);
        let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
        let (src, dst) = (any(&[batch, ic, side, side]), any(&[batch, oc, side, side]));
        let weights = any(&[oc, ic, 3, 3]);
        let weights = if open { weights } else { weights.resolve_plain().unwrap() };
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionWinograd);
        Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap()
    }

    #[test]
    fn parts_take_less_room_than_the_operands() {
        use WinogradOrder::*;
        for (batch, ic, oc, side, order) in [
            (16, 64, 64, 56, KernelsOnce),
            (1, 64, 64, 56, KernelsAgain),
            (1, 128, 128, 28, ImagesOnce),
            (1, 256, 256, 14, ImagesOnce),
            (16, 256, 256, 14, ImagesAgain),
            (3, 16, 16, 20, KernelsOnce),
        ] {
            // Those that come transformed need no room, and are not cut into slices.
            for (open, order) in [(false, order), (true, KernelsOnce)] {
                let op = convolution(batch, ic, oc, side, open);
                let sizes = Sizes::of(&op);
                let (parts, found) = op.winograd_parts(sizes.is_whole, false);
                assert_eq!(found, order, "{batch} images of {side}x{side}, {ic} to {oc} channels, {open}: {parts:?}");
                assert!(sizes.scratchpad(&parts) <= sizes.operands, "{parts:?}");
            }
        }
    }

    #[test]
    fn auto_goes_without_winograd_where_parts_are_too_small() {
        for (batch, channels, side, pays) in [
            (1, 64, 56, [true, true]),
            (1, 128, 28, [true, true]),
            (16, 256, 14, [true, true]),
            (1, 256, 14, [false, true]),
            (16, 512, 7, [true, true]),
            (1, 512, 7, [false, false]),
            (1, 32, 12, [false, false]),
        ] {
            let found = [false, true].map(|open| convolution(batch, channels, channels, side, open).winograd_pays());
            assert_eq!(found, pays, "{batch} images of {side}x{side}, {channels} channels");
        }
    }
}
