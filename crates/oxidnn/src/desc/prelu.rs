//! A rectifier whose slope for negative values is a tensor.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Forward: `dst = src > 0 ? src : src * weights`. Backward: the gradients of source and weights.
///
/// ```
/// use oxidnn::desc::{DataType, MemoryDesc, Prelu, PropKind};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// assert!(Prelu::forward(PropKind::ForwardInference, &md(&[2, 3]), &md(&[1, 3]), &md(&[2, 3])).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prelu {
    /// The pass.
    pub prop: PropKind,
    /// The source.
    pub src: MemoryDesc,
    /// The slopes; dimensions of one element are broadcast.
    pub weights: MemoryDesc,
    /// The destination; in the backward pass, like its gradient.
    pub dst: MemoryDesc,
    /// The gradients, in the backward pass.
    pub diff: Option<PreluDiff>,
}

/// The gradients of a [`Prelu`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PreluDiff {
    /// The gradient of the source.
    pub src: MemoryDesc,
    /// The gradient of the weights.
    pub weights: MemoryDesc,
    /// The gradient of the destination.
    pub dst: MemoryDesc,
}

impl Prelu {
    /// A forward pass. The layout of the source must be given.
    pub fn forward(prop: PropKind, src: &MemoryDesc, weights: &MemoryDesc, dst: &MemoryDesc) -> Result<Prelu> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        check_prelu(src, weights, &[("dst", dst)])?;
        supported!(src.data_type() == dst.data_type(), "from {} to {}", src.data_type(), dst.data_type());
        supported!(dst.is_any() || dst.has_same_layout(src), "a destination in another layout than the source");
        Ok(Prelu { prop, src: src.clone(), weights: weights.clone(), dst: dst.clone(), diff: None })
    }

    /// A backward pass.
    pub fn backward(
        src: &MemoryDesc,
        weights: &MemoryDesc,
        diff_src: &MemoryDesc,
        diff_weights: &MemoryDesc,
        diff_dst: &MemoryDesc,
    ) -> Result<Prelu> {
        check_prelu(src, weights, &[("diff_src", diff_src), ("diff_dst", diff_dst)])?;
        check::is_dense("diff_weights", diff_weights)?;
        check::is_known("diff_weights", diff_weights)?;
        check::same_dims("diff_weights", diff_weights, "weights", weights)?;
        check::is_numeric("diff_weights", diff_weights.data_type())?;
        let diff = PreluDiff { src: diff_src.clone(), weights: diff_weights.clone(), dst: diff_dst.clone() };
        let (prop, dst) = (PropKind::Backward, diff_dst.clone());
        Ok(Prelu { prop, src: src.clone(), weights: weights.clone(), dst, diff: Some(diff) })
    }
}

fn check_prelu(src: &MemoryDesc, weights: &MemoryDesc, others: &[(&str, &MemoryDesc)]) -> Result<()> {
    for (name, md) in [("src", src), ("weights", weights)].iter().chain(others) {
        check::is_dense(name, md)?;
        check::is_known(name, md)?;
        check::is_numeric(name, md.data_type())?;
    }
    ensure!(src.ndims() <= 5, "src has {} dimensions", src.ndims());
    check::broadcasts_to("weights", weights, src)?;
    others.iter().try_for_each(|(name, md)| check::same_dims(name, md, "src", src))
}

impl Operation for Prelu {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Prelu
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::input(arg::WEIGHTS, &self.weights)];
        match &self.diff {
            None => tensors.push(ArgDesc::output(arg::DST, &self.dst)),
            Some(diff) => tensors.extend([
                ArgDesc::input(arg::DIFF_DST, &diff.dst),
                ArgDesc::output(arg::DIFF_SRC, &diff.src),
                ArgDesc::output(arg::DIFF_WEIGHTS, &diff.weights),
            ]),
        }
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        self.diff.as_ref().map_or(&self.dst, |diff| &diff.src)
    }

    fn resolve(&mut self) -> Result<()> {
        if let Some(diff) = &mut self.diff {
            self.src = self.src.resolve_like(&diff.dst)?;
            diff.dst = diff.dst.resolve_like(&self.src)?;
            diff.src = diff.src.resolve_like(&diff.dst)?;
            diff.weights = diff.weights.resolve_like(&self.src)?;
        }
        self.weights = self.weights.resolve_like(&self.src)?;
        self.dst = self.dst.resolve_like(&self.src)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        Accepted::default().check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let mut tensors = vec![("data", &self.src), ("wei", &self.weights)];
        if let Some(diff) = &self.diff {
            tensors.extend([("diff", &diff.src), ("diff_wei", &diff.weights)]);
        }
        tensors
    }

    fn verbose_shape(&self) -> String {
        format!("{}:{}", self.src.dims(), self.weights.dims())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType;

    #[test]
    fn weights_must_fit_the_source() {
        let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
        let new = |weights: &[i64]| Prelu::forward(PropKind::ForwardTraining, &md(&[2, 3]), &md(weights), &md(&[2, 3]));
        assert!(new(&[2, 1]).is_ok());
        assert!(new(&[2, 2]).is_err());
        assert!(new(&[3]).is_err());
    }
}
