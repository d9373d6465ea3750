//! Reducing dimensions of a tensor to one element.

use super::arg;
use super::attr::Attr;
use super::check;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{AlgKind, DataType, PrimitiveKind};
use crate::{Result, ensure, supported};

/// `dst` is the sum, maximum, norm... of `src` over the dimensions of which `dst` has one element.
///
/// ```
/// use oxidnn::desc::{AlgKind, DataType, MemoryDesc, Reduction};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// assert!(Reduction::new(AlgKind::ReductionMean, &md(&[2, 3]), &md(&[2, 1]), 0.0, 0.0).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// How elements are combined.
    pub alg: AlgKind,
    /// The source.
    pub src: MemoryDesc,
    /// The destination.
    pub dst: MemoryDesc,
    /// The power of a norm.
    pub p: Float,
    /// What is added to a norm, or what it is at least.
    pub eps: Float,
}

impl Reduction {
    /// The layout of the source must be given; the destination may follow it.
    pub fn new(alg: AlgKind, src: &MemoryDesc, dst: &MemoryDesc, p: f32, eps: f32) -> Result<Reduction> {
        ensure!(alg.name().starts_with("reduction_"), "{alg} is not a reduction algorithm");
        check::has_layout("src", src)?;
        if alg.name().starts_with("reduction_norm") {
            ensure!(p >= 1.0 && p.is_finite(), "{alg} with a power of {p}");
            let is_float = matches!(src.data_type(), DataType::F32 | DataType::Bf16 | DataType::F16);
            ensure!(is_float, "{alg} of {}", src.data_type());
        }
        for (name, md) in [("src", src), ("dst", dst)] {
            check::is_dense(name, md)?;
            supported!(!md.has_runtime_dims_or_strides(), "{name} is only known at execution");
            check::is_numeric(name, md.data_type())?;
        }
        ensure!(src.ndims() == dst.ndims(), "src has {} dimensions, dst {}", src.ndims(), dst.ndims());
        let fits = src.dims().iter().zip(dst.dims().iter()).all(|(&src, &dst)| dst == 1 || dst == src);
        ensure!(fits, "{} cannot be reduced to {}", src.dims(), dst.dims());
        ensure!(src.dims() != dst.dims(), "nothing of {} is reduced", src.dims());
        Ok(Reduction { alg, src: src.clone(), dst: dst.clone(), p: Float(p), eps: Float(eps) })
    }
}

impl Operation for Reduction {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Reduction
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)]
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        self.dst = self.dst.resolve_like(&self.src)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        Accepted {
            post_ops: &[PrimitiveKind::Sum, PrimitiveKind::Eltwise, PrimitiveKind::Binary],
            sum_type: true,
            ..Accepted::default()
        }
        .check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("src", &self.src), ("dst", &self.dst)]
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{} p:{} eps:{}", self.alg, self.p, self.eps)
    }

    fn verbose_shape(&self) -> String {
        format!("{}:{}", self.src.dims(), self.dst.dims())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_must_be_reduced_and_nothing_else_change() {
        let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
        let new = |alg, dst: &[i64], p| Reduction::new(alg, &md(&[2, 3]), &md(dst), p, 0.0);
        assert!(new(AlgKind::ReductionSum, &[1, 3], 0.0).is_ok());
        assert!(new(AlgKind::ReductionSum, &[2, 3], 0.0).is_err());
        assert!(new(AlgKind::ReductionSum, &[2, 2], 0.0).is_err());
        assert!(new(AlgKind::ReductionNormLpMax, &[2, 1], 0.5).is_err());
        assert!(new(AlgKind::ReductionNormLpMax, &[2, 1], 2.0).is_ok());
    }
}
