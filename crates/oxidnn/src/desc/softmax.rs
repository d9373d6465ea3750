//! Softmax along a dimension.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Diff, Operation};
use super::support::{Accepted, QuantSupport};
use super::types::{AlgKind, DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Forward: `dst = exp(src) / sum(exp(src))` along an axis, or the logarithm of it. Backward: from the forward pass's
/// destination and its gradient to the gradient of the source.
///
/// ```
/// use oxidnn::desc::{AlgKind, DataType, MemoryDesc, PropKind, Softmax};
/// let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None).unwrap();
/// assert!(Softmax::forward(PropKind::ForwardInference, AlgKind::SoftmaxLog, &md, &md, 1).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Softmax {
    /// The pass.
    pub prop: PropKind,
    /// Softmax or its logarithm.
    pub alg: AlgKind,
    /// Along which dimension results sum up to one.
    pub axis: usize,
    /// The source; in the backward pass, a copy of the destination.
    pub src: MemoryDesc,
    /// The destination.
    pub dst: MemoryDesc,
    /// The gradients, in the backward pass.
    pub diff: Option<Diff>,
}

impl Softmax {
    /// A forward pass. The layout of the source must be given.
    pub fn forward(prop: PropKind, alg: AlgKind, src: &MemoryDesc, dst: &MemoryDesc, axis: usize) -> Result<Softmax> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        check_softmax(alg, axis, &[("src", src), ("dst", dst)])?;
        Ok(Softmax { prop, alg, axis, src: src.clone(), dst: dst.clone(), diff: None })
    }

    /// A backward pass. The layout of the destination must be given.
    pub fn backward(
        alg: AlgKind,
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        dst: &MemoryDesc,
        axis: usize,
    ) -> Result<Softmax> {
        check::has_layout("dst", dst)?;
        let tensors = [("dst", dst), ("diff_src", diff_src), ("diff_dst", diff_dst)];
        check_softmax(alg, axis, &tensors)?;
        for (name, md) in tensors {
            supported!(md.data_type().is_float(), "the gradient of {alg} with {name} of type {}", md.data_type());
        }
        let diff = Some(Diff { src: diff_src.clone(), dst: diff_dst.clone() });
        Ok(Softmax { prop: PropKind::BackwardData, alg, axis, src: dst.clone(), dst: dst.clone(), diff })
    }
}

fn check_softmax(alg: AlgKind, axis: usize, tensors: &[(&str, &MemoryDesc)]) -> Result<()> {
    use AlgKind::{SoftmaxAccurate, SoftmaxAccurateInfAsZero, SoftmaxLog};
    let known = matches!(alg, SoftmaxAccurate | SoftmaxAccurateInfAsZero | SoftmaxLog);
    ensure!(known, "{alg} is not a softmax algorithm");
    for (name, md) in tensors {
        check::is_dense(name, md)?;
        check::is_known(name, md)?;
        check::same_dims(name, md, tensors[0].0, tensors[0].1)?;
        check::is_numeric(name, md.data_type())?;
        ensure!(axis < md.ndims(), "axis {axis} of {} dimensions", md.ndims());
    }
    Ok(())
}

impl Operation for Softmax {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Softmax
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        match &self.diff {
            None => vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)],
            Some(diff) => vec![
                ArgDesc::input(arg::DST, &self.dst),
                ArgDesc::input(arg::DIFF_DST, &diff.dst),
                ArgDesc::output(arg::DIFF_SRC, &diff.src),
            ],
        }
    }

    fn dst(&self) -> &MemoryDesc {
        self.diff.as_ref().map_or(&self.dst, |diff| &diff.src)
    }

    fn resolve(&mut self) -> Result<()> {
        match &mut self.diff {
            None => self.dst = self.dst.resolve_like(&self.src)?,
            Some(diff) => {
                diff.dst = diff.dst.resolve_like(&self.dst)?;
                diff.src = diff.src.resolve_like(&diff.dst)?;
            }
        }
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        if self.diff.is_some() {
            return Accepted::default().check(attr, self.dst());
        }
        let is_int = |md: &MemoryDesc| matches!(md.data_type(), DataType::S8 | DataType::U8);
        let is_f8 = matches!(self.dst.data_type(), DataType::F8E5m2 | DataType::F8E4m3);
        let scales: &[i32] = if is_int(&self.src) || is_int(&self.dst) || is_f8 { &[arg::SRC, arg::DST] } else { &[] };
        let one_each = attr.all_scales().values().all(|scales| scales.mask == 0);
        supported!(one_each, "more than one scale for a tensor");
        Accepted {
            scales: QuantSupport { args: scales, ..QuantSupport::default() },
            post_ops: &[PrimitiveKind::Eltwise, PrimitiveKind::Binary],
            dropout: true,
            ..Accepted::default()
        }
        .check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        match &self.diff {
            None => vec![("src", &self.src), ("dst", &self.dst)],
            Some(diff) => vec![("src", &diff.src), ("dst", &self.dst), ("diff_dst", &diff.dst)],
        }
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{} axis:{}", self.alg, self.axis)
    }

    fn verbose_shape(&self) -> String {
        self.dst.dims().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_must_exist() {
        let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None).unwrap();
        let softmax = |axis| Softmax::forward(PropKind::ForwardTraining, AlgKind::SoftmaxAccurate, &md, &md, axis);
        assert!(softmax(1).is_ok());
        assert_eq!(softmax(2).unwrap_err().status(), crate::Status::InvalidArguments);
    }

    #[test]
    fn gradients_follow_the_destination() {
        let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, Some(&[1, 2])).unwrap();
        let any = MemoryDesc::any(&[2, 3], DataType::F32).unwrap();
        let mut op = Softmax::backward(AlgKind::SoftmaxLog, &any, &any, &md, 0).unwrap();
        op.resolve().unwrap();
        assert_eq!(op.diff, Some(Diff { src: md.clone(), dst: md }));
    }
}
