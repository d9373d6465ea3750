//! Inner products: every output channel is the sum of a whole source image times weights.

use super::arg;
use super::attr::Attr;
use super::layer::{Layer, check_mask, resolve_order};
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{PrimitiveKind, PropKind};
use crate::{Result, ensure};

/// `dst[n, oc] = sum(src[n, ic, …] * weights[oc, ic, …]) + bias[oc]`, or a gradient of it.
///
/// ```
/// use oxidnn::desc::{DataType, InnerProduct, MemoryDesc, PropKind};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// let (src, weights, dst) = (md(&[2, 3, 4, 5]), md(&[7, 3, 4, 5]), md(&[2, 7]));
/// assert!(InnerProduct::new(PropKind::ForwardInference, &src, &weights, Some(&md(&[7])), &dst).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InnerProduct {
    /// The pass and its tensors.
    pub layer: Layer,
}

impl InnerProduct {
    /// A pass; in a backward pass the tensors are the gradients that [`Layer`] says.
    pub fn new(
        prop: PropKind,
        src: &MemoryDesc,
        weights: &MemoryDesc,
        bias: Option<&MemoryDesc>,
        dst: &MemoryDesc,
    ) -> Result<InnerProduct> {
        let layer = Layer::new(prop, src, weights, bias, dst)?;
        let (s, w, d) = (src.dims(), weights.dims(), dst.dims());
        ensure!((2..=5).contains(&s.len()), "src has {} dimensions", s.len());
        ensure!(d.len() == 2, "dst has {} dimensions, not 2", d.len());
        ensure!(s[0] == d[0], "the batch is {} in src and {} in dst", s[0], d[0]);
        ensure!(w.len() == s.len() && w[1..] == s[1..], "weights are {w}, src is {s}");
        ensure!(w[0] == d[1], "output channels are {} in weights and {} in dst", w[0], d[1]);
        layer.check_bias()?;
        Ok(InnerProduct { layer })
    }
}

impl Operation for InnerProduct {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::InnerProduct
    }

    fn prop_kind(&self) -> PropKind {
        self.layer.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        self.layer.tensors()
    }

    fn dst(&self) -> &MemoryDesc {
        self.layer.output()
    }

    fn resolve(&mut self) -> Result<()> {
        let layer = &mut self.layer;
        layer.src = layer.src.resolve_plain()?;
        layer.dst = layer.dst.resolve_plain()?;
        // What the sum does not run over is innermost.
        let ndims = layer.weights.ndims();
        layer.weights = match layer.prop {
            PropKind::BackwardData => layer.weights.resolve_plain()?,
            _ => resolve_order(&layer.weights, (1..ndims).chain([0]))?,
        };
        layer.resolve_bias()
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        self.layer.check_attr(attr, Accepted { accumulation: true, ..Accepted::default() })?;
        for (arg, masks) in [(arg::SRC, &[0][..]), (arg::WEIGHTS, &[0, 1]), (arg::DST, &[0])] {
            check_mask("scales", arg, attr.scales(arg).map(|scales| scales.mask), masks)?;
        }
        Ok(())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        self.layer.verbose_tensors()
    }

    fn verbose_shape(&self) -> String {
        let dims = self.layer.src.dims();
        let spatial = ["id", "ih", "iw"];
        let names = ["mb", "ic"].iter().chain(&spatial[spatial.len() + 2 - dims.len()..]);
        let src: String = names.zip(dims.iter()).map(|(name, dim)| format!("{name}{dim}")).collect();
        format!("{src}oc{}", self.layer.dst.dims()[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, Op};

    fn md(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, F32, None).unwrap()
    }

    #[test]
    fn shapes_and_types_are_checked() {
        let status = |prop, src: &MemoryDesc, weights: &MemoryDesc, dst: &MemoryDesc| {
            InnerProduct::new(prop, src, weights, None, dst).map(drop).map_err(|error| error.status())
        };
        let (src, weights, dst) = (md(&[2, 3, 4]), md(&[5, 3, 4]), md(&[2, 5]));
        for prop in [PropKind::ForwardTraining, PropKind::BackwardData, PropKind::BackwardWeights] {
            assert_eq!(status(prop, &src, &weights, &dst), Ok(()));
        }
        assert_eq!(status(PropKind::Backward, &src, &weights, &dst), Err(InvalidArguments));
        assert_eq!(status(PropKind::BackwardData, &src, &weights, &md(&[2, 6])), Err(InvalidArguments));
        assert_eq!(status(PropKind::BackwardData, &src, &md(&[5, 3, 3]), &dst), Err(InvalidArguments));
        assert_eq!(status(PropKind::BackwardData, &src, &weights, &dst.with_data_type(F64)), Err(Unimplemented));
    }

    #[test]
    fn verbose_reads_like_the_command_line_of_a_benchmark() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
        let asked = InnerProduct::new(PropKind::BackwardData, &md(&[2, 3, 4]), &any(&[5, 3, 4]), None, &md(&[2, 5]));
        let asked = Op::from(asked.unwrap());
        let mut op = asked.clone();
        op.resolve(&mut Attr::new()).unwrap();
        assert_eq!(
            op.verbose(&asked, &Attr::new()),
            "src:f32::blocked:abc::f0 wei:f32:a:blocked:abc::f0 bia:undef::undef::: dst:f32::blocked:ab::f0,,,mb2ic3iw4oc5"
        );
    }
}
