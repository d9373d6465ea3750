//! Element by element functions of one tensor.

use super::arg;
use super::attr::Attr;
use super::check;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{AlgKind, DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Forward: `dst = f(src)`. Backward: `diff_src = f'(data) * diff_dst`, where `data` is the source or, for the algorithms
/// that say so, the destination of the forward pass.
///
/// ```
/// use oxidnn::desc::{AlgKind, DataType, Eltwise, MemoryDesc, PropKind};
/// let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None).unwrap();
/// assert!(Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseTanh, &md, &md, 0.0, 0.0).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Eltwise {
    /// The pass.
    pub prop: PropKind,
    /// The function.
    pub alg: AlgKind,
    /// Its first parameter.
    pub alpha: Float,
    /// Its second parameter.
    pub beta: Float,
    /// Forward: the source. Backward: the data.
    pub src: MemoryDesc,
    /// Forward: the destination. Backward: the data.
    pub dst: MemoryDesc,
    /// The gradients of source and destination, in the backward pass.
    pub diff: Option<EltwiseDiff>,
}

/// The gradients of an eltwise operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EltwiseDiff {
    /// The gradient of the source.
    pub src: MemoryDesc,
    /// The gradient of the destination.
    pub dst: MemoryDesc,
}

impl Eltwise {
    /// A forward pass. The layout of the source must be given; the destination has the same, and the same type.
    pub fn forward(
        prop: PropKind,
        alg: AlgKind,
        src: &MemoryDesc,
        dst: &MemoryDesc,
        alpha: f32,
        beta: f32,
    ) -> Result<Eltwise> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check_eltwise(src.data_type(), alg, alpha, beta)?;
        check::has_layout("src", src)?;
        for (name, md) in [("src", src), ("dst", dst)] {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
        }
        check::same_dims("dst", dst, "src", src)?;
        check::is_numeric("src", src.data_type())?;
        supported!(src.data_type() == dst.data_type(), "{alg} from {} to {}", src.data_type(), dst.data_type());
        supported!(dst.is_any() || dst.has_same_layout(src), "a destination in another layout than the source");
        let (alpha, beta) = (Float(alpha), Float(beta));
        Ok(Eltwise { prop, alg, alpha, beta, src: src.clone(), dst: dst.clone(), diff: None })
    }

    /// A backward pass. `data` is the forward pass's source or destination, as the algorithm says.
    pub fn backward(
        alg: AlgKind,
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        data: &MemoryDesc,
        alpha: f32,
        beta: f32,
    ) -> Result<Eltwise> {
        check_eltwise(data.data_type(), alg, alpha, beta)?;
        ensure!(alg != AlgKind::EltwiseRound, "{alg} has no backward pass");
        for (name, md) in [("diff_src", diff_src), ("diff_dst", diff_dst), ("data", data)] {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            check::same_dims(name, md, "data", data)?;
            check::is_numeric(name, md.data_type())?;
            supported!(md.data_type().is_float(), "the gradient of {alg} with {name} of type {}", md.data_type());
        }
        let diff = Some(EltwiseDiff { src: diff_src.clone(), dst: diff_dst.clone() });
        let (alpha, beta) = (Float(alpha), Float(beta));
        Ok(Eltwise { prop: PropKind::BackwardData, alg, alpha, beta, src: data.clone(), dst: data.clone(), diff })
    }

    /// Whether the backward pass reads the forward pass's destination.
    pub fn uses_dst(&self) -> bool {
        self.alg.name().ends_with("_use_dst_for_bwd")
    }

    /// The forward pass's tensor that the backward pass reads.
    fn data(&self) -> &MemoryDesc {
        if self.diff.is_some() && self.uses_dst() { &self.dst } else { &self.src }
    }
}

impl Operation for Eltwise {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Eltwise
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        match &self.diff {
            None => vec![ArgDesc::input(arg::SRC, &self.src), ArgDesc::output(arg::DST, &self.dst)],
            Some(diff) => vec![
                ArgDesc::input(if self.uses_dst() { arg::DST } else { arg::SRC }, self.data()),
                ArgDesc::input(arg::DIFF_DST, &diff.dst),
                ArgDesc::output(arg::DIFF_SRC, &diff.src),
            ],
        }
    }

    fn dst(&self) -> &MemoryDesc {
        self.diff.as_ref().map_or(&self.dst, |diff| &diff.src)
    }

    fn resolve(&mut self) -> Result<()> {
        let Some(diff) = &mut self.diff else {
            self.dst = self.dst.resolve_like(&self.src)?;
            return Ok(());
        };
        self.src = self.src.resolve_like(&diff.dst)?;
        self.dst = self.src.clone();
        diff.dst = diff.dst.resolve_like(&self.src)?;
        diff.src = diff.src.resolve_like(&diff.dst)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let accepted = match self.diff {
            None => Accepted { post_ops: &[PrimitiveKind::Binary], dropout: true, ..Accepted::default() },
            Some(_) => Accepted::default(),
        };
        accepted.check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let diff = self.diff.as_ref().map(|diff| ("diff", &diff.src));
        [("data", self.data())].into_iter().chain(diff).collect()
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{} alpha:{} beta:{}", self.alg, self.alpha, self.beta)
    }

    fn verbose_shape(&self) -> String {
        self.src.dims().to_string()
    }
}

/// Checks that an eltwise algorithm can have these parameters and inputs of this type.
pub(super) fn check_eltwise(src: DataType, alg: AlgKind, alpha: f32, beta: f32) -> Result<()> {
    use AlgKind::*;
    ensure!(alg.is_eltwise(), "{alg} is not an eltwise algorithm");
    let is_clip = matches!(alg, EltwiseClip | EltwiseClipV2 | EltwiseClipV2UseDst);
    ensure!(!is_clip || beta >= alpha, "{alg} from {alpha} to {beta}");
    // From the result of these, the sign of the argument is only known if negative arguments give negative results.
    let needs_sign = matches!(alg, EltwiseReluUseDst | EltwiseEluUseDst);
    ensure!(!needs_sign || alpha >= 0.0, "{alg} with a negative alpha of {alpha}");
    ensure!(alg != EltwiseRound || src == DataType::F32, "{alg} of {src}");
    let is_int = matches!(src, DataType::S32 | DataType::S8 | DataType::U8);
    let int_ok = matches!(alg, EltwiseRelu | EltwiseLinear | EltwiseClip);
    ensure!(!is_int || int_ok, "{alg} of {src}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{self, InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag, Op, RUNTIME_DIM};
    use AlgKind::*;

    fn tagged(tag: FormatTag) -> MemoryDesc {
        MemoryDesc::with_tag(&[2, 8, 4, 4], F32, tag).unwrap()
    }

    fn forward(alg: AlgKind, src: &MemoryDesc, dst: &MemoryDesc, alpha: f32, beta: f32) -> Result<Eltwise, Status> {
        Eltwise::forward(PropKind::ForwardTraining, alg, src, dst, alpha, beta).map_err(|error| error.status())
    }

    #[test]
    fn parameters_are_checked() {
        let md = tagged(FormatTag::NCHW);
        assert!(forward(EltwiseClip, &md, &md, 1.0, 1.0).is_ok());
        assert_eq!(forward(EltwiseClip, &md, &md, 1.0, 0.5), Err(InvalidArguments));
        assert_eq!(forward(EltwiseClip, &md, &md, f32::NAN, 0.5), Err(InvalidArguments));
        assert_eq!(forward(EltwiseReluUseDst, &md, &md, -1.0, 0.0), Err(InvalidArguments));
        assert_eq!(forward(BinaryAdd, &md, &md, 0.0, 0.0), Err(InvalidArguments));
        let int = md.with_data_type(S8);
        assert!(forward(EltwiseRelu, &int, &int, 0.0, 0.0).is_ok());
        assert_eq!(forward(EltwiseTanh, &int, &int, 0.0, 0.0), Err(InvalidArguments));
        assert_eq!(forward(EltwiseRound, &md.with_data_type(F16), &md, 0.0, 0.0), Err(InvalidArguments));
    }

    #[test]
    fn destination_is_like_the_source() {
        let (nchw, nhwc) = (tagged(FormatTag::NCHW), tagged(FormatTag::NHWC));
        let any = MemoryDesc::any(nchw.dims(), F32).unwrap();
        assert_eq!(forward(EltwiseRelu, &any, &nchw, 0.0, 0.0), Err(InvalidArguments));
        assert_eq!(forward(EltwiseRelu, &nchw, &nhwc, 0.0, 0.0), Err(Unimplemented));
        assert_eq!(forward(EltwiseRelu, &nchw, &nchw.with_data_type(Bf16), 0.0, 0.0), Err(Unimplemented));
        let runtime = MemoryDesc::with_tag(&[RUNTIME_DIM], F32, FormatTag::A).unwrap();
        assert_eq!(forward(EltwiseRelu, &runtime, &runtime, 0.0, 0.0), Err(Unimplemented));
        let mut op = forward(EltwiseRelu, &nhwc, &any, 0.0, 0.0).unwrap();
        op.resolve().unwrap();
        assert_eq!(op.dst, nhwc);
    }

    #[test]
    fn backward_reads_what_the_algorithm_says() {
        let (nchw, any) = (tagged(FormatTag::NCHW), MemoryDesc::any(&[2, 8, 4, 4], F32).unwrap());
        let args = |alg| {
            let op = Eltwise::backward(alg, &any, &any, &nchw, 0.5, 0.0).unwrap();
            op.tensors().iter().map(|desc| desc.arg).collect::<Vec<_>>()
        };
        assert_eq!(args(EltwiseRelu), [arg::SRC, arg::DIFF_DST, arg::DIFF_SRC]);
        assert_eq!(args(EltwiseReluUseDst), [arg::DST, arg::DIFF_DST, arg::DIFF_SRC]);
        let asked = Op::from(Eltwise::backward(EltwiseRelu, &any, &any, &nchw, 0.5, 0.0).unwrap());
        let mut op = asked.clone();
        op.resolve(&mut Attr::new()).unwrap();
        assert_eq!(
            op.verbose(&asked, &Attr::new()),
            "data:f32::blocked:abcd::f0 diff:f32:a:blocked:abcd::f0,,alg:eltwise_relu alpha:0.5 beta:0,2x8x4x4"
        );
    }

    #[test]
    fn backward_takes_no_post_ops() {
        let md = tagged(FormatTag::NCHW);
        let post_ops = crate::desc::PostOps::new().binary(BinaryAdd, md.clone()).unwrap();
        let attr = Attr::new().with_post_ops(post_ops);
        assert!(forward(EltwiseRelu, &md, &md, 0.0, 0.0).unwrap().check_attr(&attr).is_ok());
        let backward = Eltwise::backward(EltwiseRelu, &md, &md, &md, 0.0, 0.0).unwrap();
        assert_eq!(backward.check_attr(&attr).unwrap_err().status(), Unimplemented);
    }
}
