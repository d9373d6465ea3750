//! Local response normalization.

use super::arg;
use super::attr::Attr;
use super::check;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Diff, Operation};
use super::support::Accepted;
use super::types::{AlgKind, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// `dst = src / (k + alpha * mean of squares around it) ^ beta`, and its gradient.
///
/// ```
/// use oxidnn::desc::{AlgKind, DataType, Lrn, MemoryDesc, PropKind};
/// let md = MemoryDesc::with_strides(&[1, 8, 4, 4], DataType::F32, None).unwrap();
/// let prop = PropKind::ForwardInference;
/// assert!(Lrn::forward(prop, AlgKind::LrnAcrossChannels, &md, &md, 5, [1e-4, 0.75, 1.0]).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lrn {
    /// The pass.
    pub prop: PropKind,
    /// Across channels or within one.
    pub alg: AlgKind,
    /// The size of the neighbourhood along a dimension.
    pub local_size: i64,
    /// The factor of the mean of squares.
    pub alpha: Float,
    /// The power.
    pub beta: Float,
    /// What the mean is added to.
    pub k: Float,
    /// The source.
    pub src: MemoryDesc,
    /// The destination; in the backward pass, like its gradient.
    pub dst: MemoryDesc,
    /// The gradients, in the backward pass.
    pub diff: Option<Diff>,
}

impl Lrn {
    /// A forward pass with alpha, beta and k. The layout of the source must be given.
    pub fn forward(
        prop: PropKind,
        alg: AlgKind,
        src: &MemoryDesc,
        dst: &MemoryDesc,
        local_size: i64,
        parameters: [f32; 3],
    ) -> Result<Lrn> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        check_lrn(alg, local_size, src, &[("dst", dst)])?;
        let [alpha, beta, k] = parameters.map(Float);
        Ok(Lrn { prop, alg, local_size, alpha, beta, k, src: src.clone(), dst: dst.clone(), diff: None })
    }

    /// A backward pass with alpha, beta and k.
    pub fn backward(
        alg: AlgKind,
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        src: &MemoryDesc,
        local_size: i64,
        parameters: [f32; 3],
    ) -> Result<Lrn> {
        check_lrn(alg, local_size, src, &[("diff_src", diff_src), ("diff_dst", diff_dst)])?;
        let [alpha, beta, k] = parameters.map(Float);
        let diff = Some(Diff { src: diff_src.clone(), dst: diff_dst.clone() });
        let (prop, dst) = (PropKind::BackwardData, diff_dst.clone());
        Ok(Lrn { prop, alg, local_size, alpha, beta, k, src: src.clone(), dst, diff })
    }
}

fn check_lrn(alg: AlgKind, local_size: i64, src: &MemoryDesc, others: &[(&str, &MemoryDesc)]) -> Result<()> {
    let is_lrn = matches!(alg, AlgKind::LrnAcrossChannels | AlgKind::LrnWithinChannel);
    ensure!(is_lrn, "{alg} is not an algorithm of local response normalization");
    ensure!(local_size >= 0, "a neighbourhood of {local_size}");
    ensure!(src.ndims() >= 2, "src has {} dimensions", src.ndims());
    for (name, md) in [("src", src)].iter().chain(others) {
        check::is_dense(name, md)?;
        check::is_known(name, md)?;
        check::same_dims(name, md, "src", src)?;
        check::is_numeric(name, md.data_type())?;
        supported!(md.data_type().is_float(), "{alg} with {name} of type {}", md.data_type());
    }
    Ok(())
}

impl Operation for Lrn {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Lrn
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let src = ArgDesc::input(arg::SRC, &self.src);
        match &self.diff {
            None => vec![src, ArgDesc::output(arg::DST, &self.dst)],
            Some(diff) => {
                vec![src, ArgDesc::input(arg::DIFF_DST, &diff.dst), ArgDesc::output(arg::DIFF_SRC, &diff.src)]
            }
        }
    }

    fn dst(&self) -> &MemoryDesc {
        self.diff.as_ref().map_or(&self.dst, |diff| &diff.src)
    }

    fn resolve(&mut self) -> Result<()> {
        if let Some(diff) = &mut self.diff {
            self.src = self.src.resolve_like(&diff.dst)?;
            diff.dst = diff.dst.resolve_like(&self.src)?;
            diff.src = diff.src.resolve_like(&self.src)?;
        }
        self.dst = self.dst.resolve_like(&self.src)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        Accepted::default().check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let diff = self.diff.as_ref().map(|diff| ("diff", &diff.src));
        [("data", &self.src)].into_iter().chain(diff).collect()
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{}", self.alg)
    }

    fn verbose_shape(&self) -> String {
        format!("{}ls{}beta{}", self.src.dims().image_text(), self.local_size, self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType;

    #[test]
    fn integers_and_other_algorithms_are_refused() {
        let new = |data_type, alg| {
            let md = MemoryDesc::with_strides(&[1, 8, 4, 4], data_type, None).unwrap();
            Lrn::forward(PropKind::ForwardTraining, alg, &md, &md, 5, [1.0; 3])
        };
        assert!(new(DataType::F16, AlgKind::LrnWithinChannel).is_ok());
        assert!(new(DataType::S8, AlgKind::LrnWithinChannel).is_err());
        assert!(new(DataType::F32, AlgKind::PoolingMax).is_err());
    }
}
