//! Convolutions of 3x3 kernels by Winograd's algorithm: 4x4 results from a tile of 6x6 by 36 products instead of 144.
//!
//! Five stages, three of them once for each image: kernels and tiles are transformed, each of the 36 positions in a tile is a matrix product over channels,
//! the products are transformed back, and bias and attributes are applied. The transforms are those of Lavin and Gray,
//! "Fast Algorithms for Convolutional Neural Networks". A gradient by data is a convolution with kernels turned around.

use super::epilogue::Attributes;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Blocking, Convolution, MemoryDesc, PostOp, PropKind, arg};
use crate::program::{Builder, Expr, ReduceOp, Store, Ty};

/// Results along a side of a tile.
const OUTPUT: usize = 4;
/// Elements along a side of a tile.
const TILE: usize = 6;
const KERNEL: usize = 3;

const OF_IMAGE: [[f64; TILE]; TILE] = [
    [4.0, 0.0, -5.0, 0.0, 1.0, 0.0],
    [0.0, -4.0, -4.0, 1.0, 1.0, 0.0],
    [0.0, 4.0, -4.0, -1.0, 1.0, 0.0],
    [0.0, -2.0, -1.0, 2.0, 1.0, 0.0],
    [0.0, 2.0, -1.0, -2.0, 1.0, 0.0],
    [0.0, 4.0, 0.0, -5.0, 0.0, 1.0],
];

const OF_KERNEL: [[f64; KERNEL]; TILE] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

const OF_PRODUCTS: [[f64; TILE]; OUTPUT] = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
    [0.0, 1.0, -1.0, 2.0, -2.0, 0.0],
    [0.0, 1.0, 1.0, 4.0, 4.0, 0.0],
    [0.0, 1.0, -1.0, 8.0, -8.0, 1.0],
];

/// `matrix * values * transpose(matrix)`, row by row.
fn transform<'b, const FROM: usize, const TO: usize>(
    matrix: &[[f64; FROM]; TO],
    values: &[[Expr<'b>; FROM]; FROM],
) -> [[Expr<'b>; TO]; TO] {
    let half = matrix.map(|row| std::array::from_fn::<_, FROM, _>(|x| combine(&row, &values.map(|line| line[x]))));
    half.map(|line| matrix.map(|row| combine(&row, &line)))
}

/// A sum of values with known factors.
fn combine<'b, const N: usize>(factors: &[f64; N], values: &[Expr<'b>; N]) -> Expr<'b> {
    let mut sum: Option<Expr<'b>> = None;
    for (&factor, &value) in factors.iter().zip(values) {
        sum = Some(match (sum, factor) {
            (_, 0.0) => continue,
            (None, _) => value * factor,
            (Some(sum), -1.0) => sum - value,
            (Some(sum), _) => sum + value * factor,
        });
    }
    sum.unwrap_or_else(|| values[0].number(0.0))
}

pub fn lower<'b>(b: &'b Builder, op: &Convolution, attr: &Attr) -> Result<()> {
    let layer = &op.layer;
    let forward = layer.prop.is_forward();
    let (from, from_arg, to, to_arg) = match layer.prop {
        PropKind::BackwardData => (&layer.dst, arg::DIFF_DST, &layer.src, arg::DIFF_SRC),
        _ => (&layer.src, arg::SRC, &layer.dst, arg::DST),
    };
    // Where results lie in the larger image, the kernel is turned around and what it leaves free is padding.
    let turned = forward == op.transposed;
    let padding = [0, 1].map(|i| if turned { 2 - op.window.padding_l[i] } else { op.window.padding_l[i] });
    let [oc, ic] = [op.filter()[0], op.filter()[1]];
    let (channels, summed) = if forward { (oc, ic) } else { (ic, oc) };
    let (groups, batch) = (op.groups(), to.dims()[0]);
    let [rows, columns] = [2, 3].map(|d| (to.dims()[d] + OUTPUT as i64 - 1) / OUTPUT as i64);
    let tiles = rows * columns;
    let positions = (TILE * TILE) as i64;
    let ty = Ty::F32;
    let axis = |name, extent| b.sized_axis(name, extent);

    let kernels = View::scratch(b, "kernels", &[positions, groups, summed, channels], ty)?;
    {
        let weights = View::new(b, "weights", arg::WEIGHTS, &layer.weights)?;
        let axes = vec![axis("g", groups), axis("s", summed), axis("c", channels)];
        let [g, s, c] = [b.at(axes[0]), b.at(axes[1]), b.at(axes[2])];
        let [o, i] = if forward { [c, s] } else { [s, c] };
        let place = |k: usize| b.index(if turned { KERNEL - 1 - k } else { k } as i64);
        let kernel = std::array::from_fn(|y| {
            std::array::from_fn(|x| {
                let index = op.has_groups().then_some(g).into_iter().chain([o, i, place(y), place(x)]);
                weights.load(&index.collect::<Vec<_>>(), ty)
            })
        });
        let stores = stores(b, &kernels, &transform(&OF_KERNEL, &kernel), &[g, s, c]);
        b.stage("winograd_kernels", axes, None, stores);
    }

    let attributes = Attributes { b, attr, ty };
    // Tiles that reach beyond the image get a place of their own for their results first.
    let bias = op.layer.bias.as_ref().filter(|_| forward);
    let bias = bias.map(|bias| View::new(b, "bias", arg::BIAS, bias)).transpose()?;
    let target = if fits_tiles(to) && is_short(attr) {
        Target::Image(View::new(b, "out", to_arg, to)?)
    } else {
        let whole = [batch, rows * OUTPUT as i64, columns * OUTPUT as i64, groups * channels];
        Target::Results(View::scratch(b, "results", &whole, ty)?)
    };
    // One image after another: what lies between the stages stays in the cache, and needs no more room than one image.
    b.repeat(batch, |repeat| {
        let n = if batch == 1 { b.index(0) } else { b.step(repeat, 0, 1) };
        let image = View::scratch(b, "image", &[positions, groups, tiles, summed], ty)?;
        {
            let source = View::new(b, "source", from_arg, from)?;
            let axes = vec![axis("h", rows), axis("w", columns), axis("g", groups), axis("s", summed)];
            let [h, w, g, s] = [0, 1, 2, 3].map(|d: usize| b.at(axes[d]));
            let channel = g * b.extent(summed) + s;
            let along = |tile: Expr<'b>, i: usize, d: usize| tile * OUTPUT as i64 + i as i64 - b.param(padding[d]);
            let tile = std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    let (y, x) = (along(h, y, 0), along(w, x, 1));
                    let [height, width] = [b.param(from.dims()[2]), b.param(from.dims()[3])];
                    let inside = y.ge(0) & y.lt(height) & x.ge(0) & x.lt(width);
                    source.load_if(inside, &[n, channel, y, x], ty)
                })
            });
            let number = h * b.extent(columns) + w;
            let stores = stores(b, &image, &transform(&OF_IMAGE, &tile), &[g, number, s]);
            b.stage("winograd_image", axes, None, stores);
        }

        let products = View::scratch(b, "products", &[positions, groups, tiles, channels], ty)?;
        let Domain { axes, index, .. } = Domain::of(b, &products.md)?;
        let over = axis("s", summed);
        let s = b.at(over);
        let left = image.load(&[index[0], index[1], index[2], s], ty);
        let right = kernels.load(&[index[0], index[1], s, index[3]], ty);
        let sum = b.reduce(ReduceOp::Sum, &[over], left * right);
        b.stage("winograd_products", axes, None, vec![products.store(&index, sum)]);

        {
            let axes = vec![axis("h", rows), axis("w", columns), axis("g", groups), axis("c", channels)];
            let [h, w, g, c] = [0, 1, 2, 3].map(|d: usize| b.at(axes[d]));
            let number = h * b.extent(columns) + w;
            let tile = std::array::from_fn(|y| {
                std::array::from_fn(|x| products.load(&[b.index((y * TILE + x) as i64), g, number, c], ty))
            });
            let back = transform(&OF_PRODUCTS, &tile);
            let channel = g * b.extent(channels) + c;
            let mut stores = Vec::new();
            for i in 0..OUTPUT * OUTPUT {
                let (value, side) = (back[i / OUTPUT][i % OUTPUT], OUTPUT as i64);
                let (y, x) = (h * side + (i / OUTPUT) as i64, w * side + (i % OUTPUT) as i64);
                match &target {
                    Target::Results(results) => stores.push(results.store(&[n, y, x, channel], value)),
                    Target::Image(out) => {
                        let index = [n, channel, y, x];
                        let value = bias.as_ref().map_or(value, |bias| value + bias.load(&[channel], ty));
                        stores.extend(attributes.finish(value, out, to_arg, &index)?);
                    }
                }
            }
            b.stage("winograd_results", axes, None, stores);
        }
        Ok::<(), crate::Error>(())
    })?;
    match &target {
        Target::Results(results) => finish(attributes, bias, to, to_arg, results),
        Target::Image(_) => Ok(()),
    }
}

/// Where results go: to the image, or to where bias and attributes find them.
enum Target<'b> {
    Image(View<'b>),
    Results(View<'b>),
}

/// Whether an image is made of whole tiles, with channels side by side.
fn fits_tiles(md: &MemoryDesc) -> bool {
    let whole = md.dims()[2..].iter().all(|side| side % OUTPUT as i64 == 0);
    let plain = |blocking: &Blocking| blocking.inner.is_empty() && blocking.strides[1] == 1;
    whole && md.padded_dims() == md.dims() && md.blocking().is_some_and(plain)
}

/// Whether what attributes ask for is short enough to be written once for each result of a tile.
fn is_short(attr: &Attr) -> bool {
    let simple = |post_op: &PostOp| matches!(post_op, PostOp::Sum { .. } | PostOp::Eltwise { .. });
    attr.post_ops().len() <= 2 && attr.post_ops().iter().all(simple) && attr.dropout().is_none()
}

/// The stores of a transformed tile, one for each position in it.
fn stores<'b>(b: &'b Builder, target: &View<'b>, tile: &[[Expr<'b>; TILE]; TILE], rest: &[Expr<'b>; 3]) -> Vec<Store> {
    let values = tile.iter().flatten().enumerate();
    values.map(|(i, &value)| target.store(&[b.index(i as i64), rest[0], rest[1], rest[2]], value)).collect()
}

/// Bias, attributes and the store of results.
fn finish<'b>(
    attributes: Attributes<'_, 'b>,
    bias: Option<View<'b>>,
    to: &MemoryDesc,
    to_arg: i32,
    results: &View<'b>,
) -> Result<()> {
    let Attributes { b, ty, .. } = attributes;
    let out = View::new(b, "out", to_arg, to)?;
    let Domain { axes, index, bounds } = Domain::of(b, to)?;
    let mut x = results.load(&[index[0], index[2], index[3], index[1]], ty);
    if let Some(bias) = bias {
        x = x + bias.load(&[index[1]], ty);
    }
    b.stage("winograd_out", axes, bounds, attributes.finish(x, &out, to_arg, &index)?);
    Ok(())
}
