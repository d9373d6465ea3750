//! Scales of a destination that the primitive computes: from the largest magnitude of each group of elements.
//!
//! It takes three stages: the result before quantization goes to the scratchpad, then each group finds its scale, then
//! elements are divided by it. What lies beyond the largest number of the destination's type becomes that number.

use super::epilogue::Attributes;
use super::layer::summed;
use super::statistic;
use super::view::{Domain, View};
use crate::desc::{DataType, QuantizationMode, arg};
use crate::program::{AxisId, Expr, ReduceOp, Ty};
use crate::{Error, Result, supported};

/// Lowers an operation whose destination gets computed scales. `value` tells the result at a logical index.
pub fn lower<'b>(
    attributes: Attributes<'_, 'b>,
    name: &'static str,
    dst: &View<'b>,
    dst_arg: i32,
    value: impl FnOnce(&[Expr<'b>]) -> Result<Expr<'b>>,
) -> Result<()> {
    let Attributes { b, attr, ty } = attributes;
    let quant = attr.scales(dst_arg).ok_or_else(|| Error::invalid("there are no scales to compute"))?;
    let dims = dst.md.dims();
    let most = largest(dst.md.data_type())?;
    let masked = attr.dropout().is_some_and(|dropout| dropout.mask.padded_dims() != dropout.mask.dims());
    supported!(!masked, "a padded dropout mask with computed scales");
    supported!(attr.zero_points(dst_arg).is_none(), "zero points of a destination with computed scales");

    let unscaled = View::scratch(b, "unscaled", dims, ty)?;
    let Domain { axes, index, .. } = Domain::inside(b, dims, &dst.md)?;
    let mut stores = Vec::new();
    let x = attributes.dropout(value(&index)?, dst, &index, &mut stores)?;
    let x = attributes.post_ops(x, dst, dst_arg, &index)?;
    stores.insert(0, unscaled.store(&index, x));
    b.stage(name, axes, None, stores);

    let rank = dims.len();
    let scales = View::new(b, "dst_scales", arg::ATTR_SCALES | dst_arg, &quant.memory_desc(&dst.md)?)?;
    statistic::fill(b, "scales", &scales, |index| {
        let mut reduced: Vec<AxisId> = Vec::new();
        let mut at = Vec::new();
        let mut inside = b.bool(true);
        for (d, &i) in index.iter().enumerate() {
            let group = if quant.mask >> d & 1 == 1 { quant.group(d, rank) } else { dims[d] };
            let i = i * b.extent(group) + summed(b, &mut reduced, "member", group);
            if dims[d] % group.max(1) != 0 {
                inside = inside & i.lt(b.param(dims[d]));
            }
            at.push(i);
        }
        let magnitude = unscaled.load_if(inside, &at, ty).to(Ty::F32).abs();
        let peak = b.reduce(ReduceOp::Max, &reduced, magnitude).max(0.0);
        Ok(match quant.mode {
            QuantizationMode::DynamicMx => {
                let power = f64::from(f32::from_bits((most as f32).to_bits() & 0xff80_0000));
                peak.quantize(quant.data_type) / power
            }
            _ => {
                // The step of the scale's type at one keeps the scale of a group of zeros from vanishing.
                let [least, limit] = [0.125, largest(quant.data_type)?];
                (peak / most).clamp(least, limit)
            }
        })
    })?;

    let Domain { axes, index, bounds } = Domain::of(b, &dst.md)?;
    let group_of: Vec<Expr<'b>> = (0..rank)
        .map(|d| if quant.mask >> d & 1 == 1 { index[d] / quant.group(d, rank) } else { b.index(0) })
        .collect();
    let scale = scales.load(&group_of, Ty::F32);
    let x = unscaled.load(&index, ty).to(Ty::F32) * (scale.number(1.0) / scale);
    let x = attributes.round(x.clamp(-most, most).to(ty), dst, dst_arg, &index)?;
    b.stage("quantize", axes, bounds, vec![dst.store(&index, x)]);
    Ok(())
}

/// The largest number of a small floating-point type.
fn largest(data_type: DataType) -> Result<f64> {
    Ok(match data_type {
        DataType::F8E5m2 => 57344.0,
        DataType::F8E4m3 => 448.0,
        DataType::F4E2m1 => 6.0,
        DataType::F4E3m0 => 16.0,
        _ => return Err(Error::unimplemented(format!("computed scales with values of type {data_type}"))),
    })
}
