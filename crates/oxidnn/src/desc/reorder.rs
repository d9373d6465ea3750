//! Copying a tensor into another layout or type.

use super::arg;
use super::attr::{Attr, RnnScales};
use super::check;
use super::memory::{Format, MemoryDesc};
use super::op::{ArgDesc, Operation, runtime_dims_mask};
use super::support::{Accepted, QuantSupport};
use super::types::{DataType, PrimitiveKind};
use crate::{Result, ensure, supported};

/// `dst = src`, whatever the layouts and types of the two.
///
/// ```
/// use oxidnn::desc::{DataType, FormatTag, MemoryDesc, Reorder};
/// let src = MemoryDesc::with_tag(&[2, 3, 4, 5], DataType::F32, FormatTag::NCHW).unwrap();
/// let dst = MemoryDesc::with_tag(&[2, 3, 4, 5], DataType::S8, FormatTag::NHWC).unwrap();
/// assert!(Reorder::new(&src, &dst).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reorder {
    /// The source.
    pub src: MemoryDesc,
    /// The destination.
    pub dst: MemoryDesc,
}

impl Reorder {
    /// Both layouts must be given. Dimensions may be known at execution only. Where both tensors are missing there is nothing to copy.
    pub fn new(src: &MemoryDesc, dst: &MemoryDesc) -> Result<Reorder> {
        for (name, md) in [("src", src), ("dst", dst)] {
            supported!(
                !matches!(md.format(), Format::Sparse(_) | Format::HostScalar),
                "a reorder whose {name} is not dense"
            );
            ensure!(!md.is_zero() || (src.is_zero() && dst.is_zero()), "{name} is missing");
            check::has_layout(name, md)?;
        }
        check::same_dims("src", src, "dst", dst)?;
        if let (Some(from), Some(to)) = (src.transformed(), dst.transformed()) {
            let is_same = from.sums_inputs == to.sums_inputs && from.turned == to.turned;
            supported!(is_same, "a reorder of weights that are transformed for one pass to those for another");
        } else if src.transformed().is_some() || dst.transformed().is_some() {
            check::is_known("src", src)?;
            check::is_known("dst", dst)?;
        }
        Ok(Reorder { src: src.clone(), dst: dst.clone() })
    }
}

/// Reorders to the integers of recurrent networks, which have attributes of their own.
impl Reorder {
    /// The scales of the weights of a recurrent network that the destination holds; none if it holds its data.
    ///
    /// Weights of layers have five dimensions. Weights of a projection have four, as a state has; they are told by their
    /// scales.
    pub fn rnn_scales<'a>(&self, attr: &'a Attr) -> Option<&'a RnnScales> {
        let projection = attr.rnn_weights_projection();
        match self.dst.ndims() {
            _ if self.dst.data_type() != DataType::S8 => None,
            5 => Some(attr.rnn_weights()),
            4 if *projection != RnnScales::default() => Some(projection),
            _ => None,
        }
    }

    /// Whether kernels are transformed, or are so already.
    fn is_transform(&self) -> bool {
        self.src.transformed().is_some() || self.dst.transformed().is_some()
    }

    /// Whether there are as many scales as elements along the dimensions of their mask.
    fn fits(&self, scales: &RnnScales) -> bool {
        let dims = self.dst.dims().iter().enumerate();
        let count: i64 = dims.filter(|(d, _)| scales.mask >> d & 1 == 1).map(|(_, dim)| dim).product();
        count == scales.scales.len() as i64
    }
}

impl Operation for Reorder {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Reorder
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)]
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        for (arg, md) in [(arg::SRC, &self.src), (arg::DST, &self.dst)] {
            let ok = md.data_type().is_integer() || attr.zero_points(arg).is_none();
            ensure!(ok, "zero points for elements of type {}", md.data_type());
        }
        if let Some(scales) = attr.scales(arg::SRC) {
            let ndims = self.src.ndims();
            for d in 0..ndims {
                let (group, dim) = (scales.group(d, ndims), self.src.dims()[d]);
                ensure!(dim < 0 || dim % group == 0, "groups of {group} do not divide dimension {d} of {dim}");
                let in_mask = d + 2 < ndims || scales.mask >> d & 1 == 1;
                ensure!(scales.groups.is_empty() || in_mask, "groups need a mask of the last two dimensions");
            }
        }
        let dst_groups = attr.scales(arg::DST).is_some_and(|scales| !scales.groups.is_empty());
        ensure!(!dst_groups, "groups of destination scales");
        supported!(attr.post_ops().len() <= 1, "more than one post-op");
        if self.is_transform() {
            return Accepted::default().check(attr, &self.dst);
        }
        let quant = QuantSupport { args: &[arg::SRC, arg::DST], types: true, groups: true };
        if attr.has_rnn_scales() {
            let fits = self.rnn_scales(attr).is_none_or(|scales| self.fits(scales));
            supported!(fits, "RNN scales with this mask");
        }
        Accepted {
            rnn: matches!(self.dst.data_type(), DataType::S8 | DataType::U8),
            scales: quant,
            zero_points: quant,
            post_ops: &[PrimitiveKind::Sum],
            rounding: true,
            ..Accepted::default()
        }
        .check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("src", &self.src), ("dst", &self.dst)]
    }

    fn verbose_parameters(&self) -> String {
        let unknown = self.src.has_runtime_dims_or_strides() || self.dst.has_runtime_dims_or_strides();
        if unknown { format!("runtime-dim-mask:{}", runtime_dims_mask(&self.src)) } else { String::new() }
    }

    fn verbose_shape(&self) -> String {
        self.src.dims().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{InvalidArguments, Unimplemented};
    use crate::desc::{AlgKind, DataType::*, FormatTag, PostOps, Quant};

    fn tagged(dims: &[i64], data_type: crate::desc::DataType, tag: FormatTag) -> MemoryDesc {
        MemoryDesc::with_tag(dims, data_type, tag).unwrap()
    }

    #[test]
    fn layouts_must_be_given_and_shapes_agree() {
        let plain = tagged(&[2, 3], F32, FormatTag::AB);
        let status = |src: &MemoryDesc, dst: &MemoryDesc| Reorder::new(src, dst).unwrap_err().status();
        assert_eq!(status(&plain, &MemoryDesc::any(&[2, 3], F32).unwrap()), InvalidArguments);
        assert_eq!(status(&plain, &tagged(&[3, 2], F32, FormatTag::AB)), InvalidArguments);
        assert_eq!(status(&plain, &tagged(&[2, 3, 1], F32, FormatTag::ABC)), InvalidArguments);
        assert_eq!(status(&plain, &MemoryDesc::csr(&[2, 3], F32, 1, S32, S32).unwrap()), Unimplemented);
        assert!(Reorder::new(&plain, &tagged(&[2, 3], U4, FormatTag::BA)).is_ok());
    }

    #[test]
    fn attributes_are_limited() {
        let reorder =
            Reorder::new(&tagged(&[4, 64], S8, FormatTag::AB), &tagged(&[4, 64], F32, FormatTag::BA)).unwrap();
        let status = |attr: crate::Result<Attr>| reorder.check_attr(&attr.unwrap()).map_err(|error| error.status());
        let grouped = |groups: &[i64], mask| Quant::scales(mask).groups(groups).unwrap();
        assert_eq!(status(Attr::new().with_scales(arg::SRC, grouped(&[1, 32], 3))), Ok(()));
        assert_eq!(status(Attr::new().with_scales(arg::SRC, grouped(&[1, 30], 3))), Err(InvalidArguments));
        assert_eq!(status(Attr::new().with_scales(arg::SRC, grouped(&[1, 32], 2))), Err(InvalidArguments));
        assert_eq!(status(Attr::new().with_scales(arg::DST, grouped(&[1, 32], 3))), Err(InvalidArguments));
        assert_eq!(status(Attr::new().with_scales(arg::WEIGHTS, Quant::scales(0))), Err(Unimplemented));
        assert_eq!(status(Attr::new().with_zero_points(arg::SRC, Quant::zero_points(2))), Ok(()));
        assert_eq!(status(Attr::new().with_zero_points(arg::DST, Quant::zero_points(0))), Err(InvalidArguments));
        assert_eq!(status(Ok(Attr::new().with_post_ops(PostOps::new().sum(2.0).unwrap()))), Ok(()));
        let relu = PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0).unwrap();
        assert_eq!(status(Ok(Attr::new().with_post_ops(relu))), Err(Unimplemented));
    }
}
