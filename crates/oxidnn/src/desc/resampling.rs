//! Images of another size.

use super::arg;
use super::attr::Attr;
use super::check;
use super::dims::Dims;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{AlgKind, PrimitiveKind, PropKind};
use crate::{Error, Result, ensure};

/// Forward: each element of `dst` is the nearest element of `src`, or linear between its neighbours. Backward: the gradient.
///
/// ```
/// use oxidnn::desc::{AlgKind, DataType, MemoryDesc, PropKind, Resampling};
/// let md = MemoryDesc::with_strides(&[1, 3, 4, 4], DataType::F32, None).unwrap();
/// let twice = Some(&[2.0, 2.0][..]);
/// let op = Resampling::forward(PropKind::ForwardInference, AlgKind::ResamplingLinear, twice, &md, None).unwrap();
/// assert_eq!(*op.dst.dims(), [1, 3, 8, 8]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resampling {
    /// The pass.
    pub prop: PropKind,
    /// Nearest or linear.
    pub alg: AlgKind,
    /// How much larger the destination is along each spatial dimension.
    pub factors: Vec<Float>,
    /// The source, or its gradient in the backward pass.
    pub src: MemoryDesc,
    /// The destination, or its gradient in the backward pass.
    pub dst: MemoryDesc,
}

impl Resampling {
    /// A forward pass. The layout of the source must be given. Without a destination, factors tell its size.
    pub fn forward(
        prop: PropKind,
        alg: AlgKind,
        factors: Option<&[f32]>,
        src: &MemoryDesc,
        dst: Option<&MemoryDesc>,
    ) -> Result<Resampling> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        Resampling::new(prop, alg, factors, src, dst)
    }

    /// A backward pass. Without a gradient of the destination, factors tell its size. Layouts that are left open are those
    /// of the forward pass, if that is known.
    pub fn backward(
        alg: AlgKind,
        factors: Option<&[f32]>,
        diff_src: &MemoryDesc,
        diff_dst: Option<&MemoryDesc>,
        forward: Option<&Resampling>,
    ) -> Result<Resampling> {
        let mut op = Resampling::new(PropKind::BackwardData, alg, factors, diff_src, diff_dst)?;
        if let Some(forward) = forward.filter(|forward| forward.src.ndims() == op.src.ndims()) {
            op.src = op.src.resolve_like(&forward.src)?;
            op.dst = op.dst.resolve_like(&forward.dst)?;
        }
        Ok(op)
    }

    fn new(
        prop: PropKind,
        alg: AlgKind,
        factors: Option<&[f32]>,
        src: &MemoryDesc,
        dst: Option<&MemoryDesc>,
    ) -> Result<Resampling> {
        let is_resampling = matches!(alg, AlgKind::ResamplingNearest | AlgKind::ResamplingLinear);
        ensure!(is_resampling, "{alg} is not a resampling algorithm");
        ensure!((3..=5).contains(&src.ndims()), "src has {} dimensions", src.ndims());
        let dst = match dst.filter(|dst| !dst.is_zero()) {
            Some(dst) => dst.clone(),
            None => {
                let factors = factors.ok_or_else(|| Error::invalid("neither a destination nor factors"))?;
                let scaled = src.dims()[2..].iter().zip(factors).map(|(&dim, &f)| (dim as f64 * f64::from(f)) as i64);
                let dims: Dims = src.dims()[..2].iter().copied().chain(scaled).collect();
                MemoryDesc::any(&dims, src.data_type())?
            }
        };
        for (name, md) in [("src", src), ("dst", &dst)] {
            check::is_dense(name, md)?;
            ensure!(!md.has_runtime_dims_or_strides(), "{name} is only known at execution");
            check::is_numeric(name, md.data_type())?;
        }
        ensure!(src.ndims() == dst.ndims(), "src has {} dimensions, dst {}", src.ndims(), dst.ndims());
        ensure!(src.dims()[..2] == dst.dims()[..2], "src is {}, dst {}", src.dims(), dst.dims());
        let sizes = src.dims().iter().zip(dst.dims().iter()).skip(2);
        let factors = sizes.map(|(&src, &dst)| Float((dst as f64 / src as f64) as f32)).collect();
        Ok(Resampling { prop, alg, factors, src: src.clone(), dst })
    }
}

impl Operation for Resampling {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Resampling
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        if self.prop.is_forward() {
            vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)]
        } else {
            vec![ArgDesc::input(arg::DIFF_DST, &self.dst), ArgDesc::output(arg::DIFF_SRC, &self.src)]
        }
    }

    fn dst(&self) -> &MemoryDesc {
        if self.prop.is_forward() { &self.dst } else { &self.src }
    }

    fn resolve(&mut self) -> Result<()> {
        self.dst = self.dst.resolve_like(&self.src)?;
        self.src = self.src.resolve_like(&self.dst)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let all = [PrimitiveKind::Sum, PrimitiveKind::Eltwise, PrimitiveKind::Binary];
        let post_ops = if self.prop.is_forward() { &all[..] } else { &[] };
        Accepted { post_ops, sum_type: true, ..Accepted::default() }.check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("src", &self.src), ("dst", &self.dst)]
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{}", self.alg)
    }

    fn verbose_shape(&self) -> String {
        let (src, dst) = (self.src.dims(), self.dst.dims());
        let names = &["d", "h", "w"][5 - src.len()..];
        let sizes = names.iter().zip(src[2..].iter().zip(&dst[2..]));
        let parts: Vec<String> = sizes.map(|(x, (i, o))| format!("i{x}{i}o{x}{o}")).collect();
        format!("mb{}ic{}_{}", src[0], src[1], parts.join("_"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType;

    #[test]
    fn the_size_comes_from_the_destination_or_from_factors() {
        let src = MemoryDesc::with_strides(&[1, 3, 5], DataType::F32, None).unwrap();
        let new = |factors, dst: Option<&MemoryDesc>| {
            Resampling::forward(PropKind::ForwardTraining, AlgKind::ResamplingNearest, factors, &src, dst)
        };
        assert_eq!(*new(Some(&[0.5]), None).unwrap().dst.dims(), [1, 3, 2]);
        assert!(new(None, None).is_err());
        let dst = MemoryDesc::any(&[1, 3, 10], DataType::F32).unwrap();
        assert_eq!(new(Some(&[7.0]), Some(&dst)).unwrap().factors, [Float(2.0)]);
    }
}
