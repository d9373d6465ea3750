//! Values that many elements share (a maximum, a sum, a mean): a stage of their own computes each once.

use super::view::{Domain, View};
use crate::Result;
use crate::program::{AxisId, Builder, Expr, Ty};

/// Names of reduced axes.
const NAMES: [&str; 12] = ["ra", "rb", "rc", "rd", "re", "rf", "rg", "rh", "ri", "rj", "rk", "rl"];

/// Axes that run over all of `dims`.
pub fn axes(b: &Builder, dims: &[i64]) -> Vec<AxisId> {
    dims.iter().enumerate().map(|(d, &dim)| b.sized_axis(NAMES[d % NAMES.len()], dim)).collect()
}

/// Adds a stage that writes a value to each element of `target`. `value` gets the element's index.
pub fn fill<'b>(
    b: &'b Builder,
    name: &'static str,
    target: &View<'b>,
    value: impl FnOnce(&[Expr<'b>]) -> Result<Expr<'b>>,
) -> Result<()> {
    let Domain { axes, index, bounds } = Domain::of(b, &target.md)?;
    let value = value(&index)?;
    b.stage(name, axes, bounds, vec![target.store(&index, value)]);
    Ok(())
}

/// A value for each row of `dims` along `reduced`, kept in the scratchpad: a tensor with one element along `reduced`, which
/// [`View::load`] broadcasts. `value` gets the index of the row's elements, and the axis that runs along them.
pub fn of_rows<'b>(
    b: &'b Builder,
    name: &'static str,
    dims: &[i64],
    reduced: usize,
    ty: Ty,
    value: impl FnOnce(&[Expr<'b>], AxisId) -> Expr<'b>,
) -> Result<View<'b>> {
    let mut kept = dims.to_vec();
    kept[reduced] = 1;
    let target = View::scratch(b, name, &kept, ty)?;
    fill(b, name, &target, |index| {
        let axis = b.sized_axis("row", dims[reduced]);
        let mut index = index.to_vec();
        index[reduced] = b.at(axis);
        Ok(value(&index, axis))
    })?;
    Ok(target)
}
