//! The transforms of Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", between images, kernels, products and results.

use super::{OUTPUT, TILE};
use crate::program::Expr;

/// Elements along a side of a kernel.
pub(super) const KERNEL: usize = 3;

pub(super) const OF_IMAGE: [[f64; TILE]; TILE] = [
    [4.0, 0.0, -5.0, 0.0, 1.0, 0.0],
    [0.0, -4.0, -4.0, 1.0, 1.0, 0.0],
    [0.0, 4.0, -4.0, -1.0, 1.0, 0.0],
    [0.0, -2.0, -1.0, 2.0, 1.0, 0.0],
    [0.0, 2.0, -1.0, -2.0, 1.0, 0.0],
    [0.0, 4.0, 0.0, -5.0, 0.0, 1.0],
];

pub(super) const OF_KERNEL: [[f64; KERNEL]; TILE] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

pub(super) const OF_PRODUCTS: [[f64; TILE]; OUTPUT] = [
    [1.0, 1.0, 1.0, 1.0, 1.0, 0.0],
    [0.0, 1.0, -1.0, 2.0, -2.0, 0.0],
    [0.0, 1.0, 1.0, 4.0, 4.0, 0.0],
    [0.0, 1.0, -1.0, 8.0, -8.0, 1.0],
];

/// `matrix * values * transpose(matrix)`, row by row.
pub(super) fn transform<'b, const FROM: usize, const TO: usize>(
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
