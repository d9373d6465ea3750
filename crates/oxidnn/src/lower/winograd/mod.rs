//! Convolutions of 3x3 kernels by Winograd's algorithm: 4x4 results from a tile of 6x6 by 36 products instead of 144.
//!
//! Five stages: kernels and tiles are transformed, each of the 36 positions in a tile is a matrix product over channels,
//! the products are transformed back, and bias and attributes are applied. They run for a part of the images and a slice of the channels at a
//! time, so that what lies between them takes little room, and mostly stays in the cache. Kernels that were left to the library come transformed.
//! A gradient by data is a convolution with kernels turned around.

mod kernels;
mod transforms;

pub use kernels::{transform_kernels, transform_kernels_back};

use self::kernels::Kernels;
use self::transforms::{OF_IMAGE, OF_PRODUCTS, transform};
use super::epilogue::Attributes;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{
    Attr, Blocking, Convolution, DataType, MemoryDesc, PostOp, PropKind, WINOGRAD_OUTPUT, WINOGRAD_TILE, WinogradOrder,
    WinogradParts, WinogradResults, arg, winograd_stride,
};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Store, Ty};

const OUTPUT: usize = WINOGRAD_OUTPUT as usize;
const TILE: usize = WINOGRAD_TILE as usize;

pub fn lower(b: &Builder, op: &Convolution, attr: &Attr) -> Result<()> {
    let winograd = Winograd::new(b, op, attr)?;
    let slices = winograd.parts.slices;
    let runs = winograd.batch / winograd.parts.images * winograd.parts.bands;
    let first = b.index(0);
    match winograd.order {
        WinogradOrder::KernelsOnce => {
            winograd.transform_kernels(first)?;
            b.repeat(runs, |repeat| {
                let part = if runs == 1 { first } else { b.step(repeat, 0, 1) };
                winograd.transform_images(part)?;
                winograd.multiply(part, first)
            })?;
        }
        WinogradOrder::ImagesOnce => {
            winograd.transform_images(first)?;
            b.repeat(slices, |repeat| {
                let slice = b.step(repeat, 0, 1);
                winograd.transform_kernels(slice)?;
                winograd.multiply(first, slice)
            })?;
        }
        WinogradOrder::ImagesAgain => {
            for slice in (0..slices).map(|slice| b.param(slice)) {
                winograd.transform_kernels(slice)?;
                b.repeat(runs, |repeat| {
                    let part = b.step(repeat, 0, 1);
                    winograd.transform_images(part)?;
                    winograd.multiply(part, slice)
                })?;
            }
        }
        WinogradOrder::KernelsAgain => {
            for part in (0..runs).map(|part| b.param(part)) {
                winograd.transform_images(part)?;
                b.repeat(slices, |repeat| {
                    let slice = b.step(repeat, 0, 1);
                    winograd.transform_kernels(slice)?;
                    winograd.multiply(part, slice)
                })?;
            }
        }
    }
    winograd.finish_all()
}

/// The tensors between the stages, of one part each, and what all stages know.
struct Winograd<'a, 'b> {
    b: &'b Builder,
    op: &'a Convolution,
    attributes: Attributes<'a, 'b>,
    parts: WinogradParts,
    order: WinogradOrder,
    from: &'a MemoryDesc,
    from_arg: i32,
    to: &'a MemoryDesc,
    to_arg: i32,
    groups: i64,
    batch: i64,
    /// Rows of tiles of a part, and columns.
    rows: i64,
    columns: i64,
    summed: i64,
    /// Channels of a slice.
    channels: i64,
    kernels: View<'b>,
    tiles: View<'b>,
    products: View<'b>,
    bias: Option<View<'b>>,
    target: Target<'b>,
}

impl<'a, 'b> Winograd<'a, 'b> {
    fn new(b: &'b Builder, op: &'a Convolution, attr: &'a Attr) -> Result<Winograd<'a, 'b>> {
        let layer = &op.layer;
        let forward = layer.prop.is_forward();
        let (from, from_arg, to, to_arg) = match layer.prop {
            PropKind::BackwardData => (&layer.dst, arg::DIFF_DST, &layer.src, arg::DIFF_SRC),
            _ => (&layer.src, arg::SRC, &layer.dst, arg::DST),
        };
        let [oc, ic] = [op.filter()[0], op.filter()[1]];
        let (channels, summed) = if forward { (oc, ic) } else { (ic, oc) };
        let (groups, batch) = (op.groups(), to.dims()[0]);
        let in_place = fits_tiles(to) && is_short(attr);
        let (parts, order) = op.winograd_parts(in_place, to.padded_dims() != to.dims());
        let [rows, columns] = [2, 3].map(|d| (to.dims()[d] + WINOGRAD_OUTPUT - 1) / WINOGRAD_OUTPUT);
        let (rows, all_rows, all_channels) = (rows / parts.bands, rows, groups * channels);
        let channels = channels / parts.slices;
        let count = parts.images * rows * columns;
        let ty = Ty::F32;
        let kernels = match layer.weights.stored() {
            Some(stored) => View::new(b, "weights", arg::WEIGHTS, &stored)?,
            None => by_position(b, "kernels", [groups, summed, channels])?,
        };
        let bias = layer.bias.as_ref().filter(|_| forward);
        let target = match parts.results {
            WinogradResults::Nowhere => Target::Image(View::new(b, "out", to_arg, to)?),
            WinogradResults::Part => Target::Part(results(b, parts.images, rows, columns, groups * channels)?),
            WinogradResults::All => Target::All(results(b, batch, all_rows, columns, all_channels)?),
        };
        Ok(Winograd {
            b,
            op,
            attributes: Attributes { b, attr, ty },
            parts,
            order,
            from,
            from_arg,
            to,
            to_arg,
            groups,
            batch,
            rows,
            columns,
            summed,
            channels,
            kernels,
            tiles: by_position(b, "tiles", [groups, count, summed])?,
            products: by_position(b, "products", [groups, count, channels])?,
            bias: bias.map(|bias| View::new(b, "bias", arg::BIAS, bias)).transpose()?,
            target,
        })
    }

    /// The first image and the first row of tiles of a part.
    fn start(&self, number: Expr<'b>) -> (Expr<'b>, Expr<'b>) {
        let WinogradParts { images, bands, .. } = self.parts;
        let rows = self.b.extent(self.rows);
        match (self.batch / images, bands) {
            (_, 1) => (number * self.b.extent(images), self.b.index(0)),
            (1, _) => (self.b.index(0), number * rows),
            (_, bands) => (number / self.b.param(bands), number % self.b.param(bands) * rows),
        }
    }

    /// The channel of a result, by its number in a slice.
    fn channel(&self, slice: Expr<'b>, group: Expr<'b>, channel: Expr<'b>) -> Expr<'b> {
        match self.parts.slices {
            1 => group * self.b.extent(self.channels) + channel,
            _ => slice * self.channels + channel,
        }
    }

    fn transform_kernels(&self, slice: Expr<'b>) -> Result<()> {
        let Winograd { b, op, groups, summed, channels, .. } = *self;
        let weights = &op.layer.weights;
        if weights.transformed().is_some() {
            return Ok(());
        }
        let weights = View::new(b, "weights", arg::WEIGHTS, weights)?;
        let axis = |name, extent| b.sized_axis(name, extent);
        let axes = vec![axis("g", groups), axis("s", summed), axis("c", channels)];
        let [g, s, within] = [b.at(axes[0]), b.at(axes[1]), b.at(axes[2])];
        let c = if self.parts.slices == 1 { within } else { self.channel(slice, g, within) };
        let kernels = Kernels { sums_inputs: op.layer.prop.is_forward(), turned: op.turns_kernels() };
        let stores = stores(b, &self.kernels, &kernels.transformed(b, &weights, [g, s, c]), &[g, s, within]);
        b.stage("winograd_kernels", axes, None, stores);
        Ok(())
    }

    /// The axes of a part's tiles and channels, the image, row and column of tiles, the number of a tile, the group and the channel.
    fn tiles(&self, channels: i64) -> (Vec<AxisId>, [Expr<'b>; 6]) {
        let Winograd { b, parts, .. } = *self;
        let axis = |name, extent| b.sized_axis(name, extent);
        let mut axes = vec![axis("h", self.rows), axis("w", self.columns), axis("g", self.groups), axis("s", channels)];
        let [h, w, g, c] = [0, 1, 2, 3].map(|d: usize| b.at(axes[d]));
        let mut number = h * b.extent(self.columns) + w;
        let mut image = b.index(0);
        if parts.images > 1 {
            axes.insert(0, axis("n", parts.images));
            image = b.at(axes[0]);
            number = image * b.extent(self.rows * self.columns) + number;
        }
        (axes, [image, h, w, number, g, c])
    }

    fn transform_images(&self, part: Expr<'b>) -> Result<()> {
        let Winograd { b, op, from, .. } = *self;
        let source = View::new(b, "source", self.from_arg, from)?;
        let (axes, [image, h, w, number, g, s]) = self.tiles(self.summed);
        let (first, row) = self.start(part);
        let padding =
            [0, 1].map(|i| if self.op.turns_kernels() { 2 - op.window.padding_l[i] } else { op.window.padding_l[i] });
        let channel = g * b.extent(self.summed) + s;
        // Positions along a side of the tile, and whether they are inside of the image, are the same for all that cross it.
        let along = |tile: Expr<'b>, d: usize| -> [(Expr<'b>, Expr<'b>); TILE] {
            let first = tile * WINOGRAD_OUTPUT - b.param(padding[d]);
            let side = b.param(from.dims()[2 + d]);
            std::array::from_fn(|i| first + i as i64).map(|at: Expr<'b>| (at, at.ge(0) & at.lt(side)))
        };
        let (lines, places) = (along(row + h, 0), along(w, 1));
        let tile = lines.map(|(y, above)| {
            places.map(|(x, beside)| source.load_if(above & beside, &[first + image, channel, y, x], Ty::F32))
        });
        let stores = stores(b, &self.tiles, &transform(&OF_IMAGE, &tile), &[g, number, s]);
        b.stage("winograd_image", axes, None, stores);
        Ok(())
    }

    /// The products of a part and a slice, transformed back.
    fn multiply(&self, part: Expr<'b>, slice: Expr<'b>) -> Result<()> {
        let Winograd { b, products, .. } = self;
        let Domain { axes, index, .. } = Domain::of(b, &products.md)?;
        let over = b.sized_axis("s", self.summed);
        let s = b.at(over);
        let left = self.tiles.load(&[index[0], index[1], index[2], s], Ty::F32);
        let right = self.kernels.load(&[index[0], index[1], s, index[3]], Ty::F32);
        let sum = b.reduce(ReduceOp::Sum, &[over], left * right);
        b.stage("winograd_products", axes, None, vec![products.store(&index, sum)]);

        let (axes, [image, h, w, number, g, c]) = self.tiles(self.channels);
        let tile = std::array::from_fn(|y| {
            std::array::from_fn(|x| products.load(&[b.index((y * TILE + x) as i64), g, number, c], Ty::F32))
        });
        let back = transform(&OF_PRODUCTS, &tile);
        let (first, row) = self.start(part);
        let channel = self.channel(slice, g, c);
        let mut stores = Vec::new();
        for i in 0..OUTPUT * OUTPUT {
            let value = back[i / OUTPUT][i % OUTPUT];
            let along = |tile: Expr<'b>, i: usize| tile * WINOGRAD_OUTPUT + i as i64;
            let (y, x) = (along(row + h, i / OUTPUT), along(w, i % OUTPUT));
            match &self.target {
                Target::All(results) => stores.push(results.store(&[first + image, y, x, channel], value)),
                Target::Part(results) => {
                    let within = g * b.extent(self.channels) + c;
                    stores.push(results.store(&[image, along(h, i / OUTPUT), x, within], value));
                }
                Target::Image(out) => stores.extend(self.finish(value, out, &[first + image, channel, y, x])?),
            }
        }
        b.stage("winograd_results", axes, None, stores);
        if let Target::Part(results) = &self.target {
            self.finish_part(results, (first, row), slice)?;
        }
        Ok(())
    }

    /// A result with bias and attributes, stored.
    fn finish(&self, value: Expr<'b>, out: &View<'b>, index: &[Expr<'b>]) -> Result<Vec<Store>> {
        let value = self.bias.as_ref().map_or(value, |bias| value + bias.load(&[index[1]], Ty::F32));
        self.attributes.finish(value, out, self.to_arg, index)
    }

    /// Bias, attributes and the store of a part's results.
    fn finish_part(&self, results: &View<'b>, (first, row): (Expr<'b>, Expr<'b>), slice: Expr<'b>) -> Result<()> {
        let Winograd { b, to, .. } = *self;
        let (height, lines) = (to.dims()[2], self.rows * WINOGRAD_OUTPUT);
        let dims = [self.parts.images, self.groups * self.channels, lines.min(height), to.dims()[3]];
        let Domain { axes, index, .. } = Domain::inside(b, &dims, to)?;
        let y = row * WINOGRAD_OUTPUT + index[2];
        let value = results.load(&[index[0], index[2], index[3], index[1]], Ty::F32);
        let channel = if self.parts.slices == 1 { index[1] } else { slice * self.channels + index[1] };
        let out = View::new(b, "out", self.to_arg, to)?;
        b.stage("winograd_out", axes, None, self.finish(value, &out, &[first + index[0], channel, y, index[3]])?);
        Ok(())
    }

    /// Bias, attributes and the store of all results, where they were not stored yet.
    fn finish_all(&self) -> Result<()> {
        let Target::All(results) = &self.target else { return Ok(()) };
        let out = View::new(self.b, "out", self.to_arg, self.to)?;
        let Domain { axes, index, bounds } = Domain::of(self.b, self.to)?;
        let value = results.load(&[index[0], index[2], index[3], index[1]], Ty::F32);
        self.b.stage("winograd_out", axes, bounds, self.finish(value, &out, &index)?);
        Ok(())
    }
}

/// Where results go: to the image, or to where bias and attributes find them, those of a part or all.
enum Target<'b> {
    Image(View<'b>),
    Part(View<'b>),
    All(View<'b>),
}

/// Whether an image is made of whole tiles, with channels side by side.
fn fits_tiles(md: &MemoryDesc) -> bool {
    let whole = md.dims()[2..].iter().all(|side| side % WINOGRAD_OUTPUT == 0);
    let plain = |blocking: &Blocking| blocking.inner.is_empty() && blocking.strides[1] == 1;
    whole && md.padded_dims() == md.dims() && md.blocking().is_some_and(plain)
}

/// Whether what attributes ask for is short enough to be written once for each result of a tile.
fn is_short(attr: &Attr) -> bool {
    let simple = |post_op: &PostOp| matches!(post_op, PostOp::Sum { .. } | PostOp::Eltwise { .. });
    attr.post_ops().len() <= 2 && attr.post_ops().iter().all(simple) && attr.dropout().is_none()
}

/// A place for results, channels innermost.
fn results<'b>(b: &'b Builder, images: i64, rows: i64, columns: i64, channels: i64) -> Result<View<'b>> {
    View::scratch(b, "results", &[images, rows * WINOGRAD_OUTPUT, columns * WINOGRAD_OUTPUT, channels], Ty::F32)
}

/// A tensor between stages, by positions in a tile. These are written side by side, so they are an odd number of cache lines apart: at distances of
/// powers of two, they would all fall on the same few lines of the caches.
fn by_position<'b>(b: &'b Builder, name: &'static str, [groups, rows, channels]: [i64; 3]) -> Result<View<'b>> {
    let dims = [(TILE * TILE) as i64, groups, rows, channels];
    let strides = [winograd_stride(groups * rows * channels), rows * channels, channels, 1];
    View::scratch_like(b, name, &MemoryDesc::with_strides(&dims, DataType::F32, Some(&strides))?)
}

/// The stores of a transformed tile, one for each position in it.
fn stores<'b>(b: &'b Builder, target: &View<'b>, tile: &[[Expr<'b>; TILE]; TILE], rest: &[Expr<'b>; 3]) -> Vec<Store> {
    let values = tile.iter().flatten().enumerate();
    values.map(|(i, &value)| target.store(&[b.index(i as i64), rest[0], rest[1], rest[2]], value)).collect()
}
