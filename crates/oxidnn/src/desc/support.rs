//! Which attributes each primitive accepts. Anything else is `unimplemented`.
//!
//! | primitive | scales | zero points | post-ops | more |
//! |---|---|---|---|---|
//! | reorder | source, destination | source, destination | one sum | stochastic rounding |
//! | eltwise forward | | | binary | dropout |
//! | eltwise backward, sum | | | | |
//! | binary | sources, one for all | | sum, eltwise, binary | |
//! | concat | each source, one for all | | | |
//! | inner product forward | source, weights, destination, of narrow types | | sum, eltwise, binary, prelu | accumulation mode |
//! | convolution forward | same | source, weights, destination, of narrow types | sum, eltwise, binary, prelu, depthwise convolution | stochastic rounding |
//! | deconvolution forward | same | source, destination, of narrow types | sum, eltwise, binary, prelu | |
//! | inner product and convolution backward | | | | accumulation mode |
//! | matmul | source, weights, destination, computed ones too | same, of integer and f8/f4 data | sum, eltwise, binary, prelu | dropout, precomputed reductions, math mode for integers, accumulation mode, stochastic rounding |
//! | softmax forward | source, destination, one for all | | eltwise, binary | dropout |
//! | layer and group normalization forward | source, destination, one for all | | eltwise, binary | |
//! | batch normalization forward | | | eltwise | |
//! | pooling forward | | | eltwise, binary | |
//! | reduction, resampling forward | | | sum, eltwise, binary | |
//! | lrn, prelu, shuffle, backward passes | | | | |
//! | rnn of integers | | | | RNN scales |
//! | attention | keys, values | same | | |
//!
//! Scratchpad mode, deterministic mode, the math mode for floats and the accumulation modes `strict`, `relaxed` and `any`
//! go with every primitive.

use std::collections::BTreeMap;

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::{Format, MemoryDesc, Sparse};
use super::post_ops::PostOp;
use super::quant::Quant;
use super::types::{AccumulationMode, AlgKind, DataType, FpmathMode, PrimitiveKind};
use crate::{Result, ensure, supported};

/// What a primitive accepts.
#[derive(Clone, Copy, Default)]
pub(super) struct Accepted<'a> {
    pub scales: QuantSupport<'a>,
    pub zero_points: QuantSupport<'a>,
    pub precomputed_reductions: bool,
    pub post_ops: &'a [PrimitiveKind],
    /// Whether a sum post-op may read the destination in another type.
    pub sum_type: bool,
    /// Whether a sum post-op may have a zero point.
    pub sum_zero_point: bool,
    pub dropout: bool,
    pub rounding: bool,
    pub accumulation: bool,
    pub fpmath_of_int: bool,
    pub rnn: bool,
}

/// Which arguments can have scales or zero points, and how.
#[derive(Clone, Copy, Default)]
pub(super) struct QuantSupport<'a> {
    pub args: &'a [i32],
    /// Whether values may have other types than f32 and s32.
    pub types: bool,
    pub groups: bool,
}

impl QuantSupport<'_> {
    fn check(&self, what: &str, default: DataType, given: &BTreeMap<i32, Quant>) -> Result<()> {
        for (arg, quant) in given {
            supported!(self.args.contains(arg), "{what} for argument {arg}");
            let data_type = quant.data_type;
            supported!(self.types || data_type == default, "{what} of type {data_type} for argument {arg}");
            supported!(self.groups || quant.groups.is_empty(), "{what} in groups for argument {arg}");
        }
        Ok(())
    }
}

impl Accepted<'_> {
    /// Checks attributes against it. `dst` is the tensor that post-ops write.
    pub fn check(&self, attr: &Attr, dst: &MemoryDesc) -> Result<()> {
        self.scales.check("scales", DataType::F32, attr.all_scales())?;
        // Attributes can have them for attention, whose keys and values these are.
        for further in [arg::SRC_1, arg::SRC_2] {
            let is_fit = attr.zero_points(further).is_none() || self.zero_points.args.contains(&further);
            ensure!(is_fit, "zero points for argument {further}");
        }
        self.zero_points.check("zero points", DataType::S32, attr.all_zero_points())?;
        let reductions_ok = self.precomputed_reductions || attr.all_precomputed_reductions().is_empty();
        supported!(reductions_ok, "precomputed reductions");
        supported!(self.dropout || attr.dropout().is_none(), "dropout");
        supported!(self.rounding || attr.all_rounding().is_empty(), "a rounding mode");
        use AccumulationMode::{Any, Relaxed, Strict};
        let mode = attr.accumulation();
        supported!(self.accumulation || matches!(mode, Strict | Relaxed | Any), "accumulation mode {mode}");
        let int_ok = self.fpmath_of_int || !attr.fpmath_applies_to_int() || attr.fpmath() == FpmathMode::Strict;
        supported!(int_ok, "a math mode that applies to integers");
        supported!(self.rnn || !attr.has_rnn_scales(), "RNN scales");
        supported!(!attr.has_runtime_rnn_scales(), "RNN scales that are known at execution only");
        self.check_post_ops(attr, dst)?;
        if let Some(dropout) = attr.dropout().filter(|dropout| !dropout.mask.is_zero()) {
            check::same_dims("the dropout mask", &dropout.mask, "dst", dst)?;
        }
        Ok(())
    }

    fn check_post_ops(&self, attr: &Attr, dst: &MemoryDesc) -> Result<()> {
        for post_op in attr.post_ops().iter() {
            let kind = post_op.kind();
            supported!(self.post_ops.contains(&kind), "a post-op of kind {kind}");
            match post_op {
                PostOp::Sum { zero_point, data_type, .. } => {
                    let data_type = if *data_type == DataType::Undef { dst.data_type() } else { *data_type };
                    supported!(self.sum_type || data_type == dst.data_type(), "a sum post-op of another type");
                    let same_size = data_type.bits() == dst.data_type().bits();
                    supported!(same_size, "a sum post-op that reads {} as {data_type}", dst.data_type());
                    let is_int = matches!(data_type, DataType::S8 | DataType::U8 | DataType::S32);
                    supported!(*zero_point == 0 || (self.sum_zero_point && is_int), "a sum post-op with a zero point");
                }
                PostOp::Binary { alg, src1, src2 } => {
                    check_binary_operand("src1", src1, dst)?;
                    if let (AlgKind::BinarySelect, Some(src2)) = (alg, src2) {
                        check_binary_operand("src2", src2, dst)?;
                    }
                }
                PostOp::Prelu { mask } => {
                    supported!(*mask >= 0 && *mask < 1 << dst.ndims(), "a prelu post-op with mask {mask}");
                }
                PostOp::Eltwise { .. } | PostOp::DepthwiseConv(_) => {}
            }
        }
        Ok(())
    }
}

fn check_binary_operand(name: &str, md: &MemoryDesc, dst: &MemoryDesc) -> Result<()> {
    if let Some(Sparse::Grouped { groups, .. }) = dst.sparse() {
        let [rows, columns] = [dst.dims()[0], dst.dims()[1]];
        let is_row = md.ndims() == 2 && (*md.dims() == [rows, columns] || *md.dims() == [rows, 1]);
        let is_group = *md.dims() == [*groups, 1] && md.sparse().is_none();
        supported!(
            is_row || is_group,
            "{name} of a binary post-op is {} for {groups} groups of {}",
            md.dims(),
            dst.dims()
        );
        let fits = md.sparse().is_none_or(|sparse| Some(sparse) == dst.sparse());
        supported!(fits, "{name} of a binary post-op is grouped differently");
        return check::is_numeric(name, md.data_type());
    }
    ensure!(md.ndims() == dst.ndims(), "{name} of a binary post-op has {} dimensions, dst {}", md.ndims(), dst.ndims());
    let is_dense = matches!(md.format(), Format::Any | Format::Blocked(_));
    supported!(is_dense, "{name} of a binary post-op has format kind {}", md.format_kind());
    let fits = md.dims().iter().zip(&**dst.dims()).all(|(&a, &b)| a == 1 || check::may_equal(a, b));
    supported!(fits, "{name} of a binary post-op is {}, dst {}", md.dims(), dst.dims());
    check::is_numeric(name, md.data_type())
}
