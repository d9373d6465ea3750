//! Element by element functions of two tensors.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::{Accepted, QuantSupport};
use super::types::{AlgKind, DataType, PrimitiveKind};
use crate::{Result, ensure, supported};

/// `dst = src0 op src1`, where dimensions of one element are broadcast; or `dst = src2 ? src0 : src1`.
///
/// ```
/// use oxidnn::desc::{AlgKind, Binary, DataType, MemoryDesc};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// assert!(Binary::new(AlgKind::BinaryAdd, &md(&[2, 3]), &md(&[1, 3]), None, &md(&[2, 3])).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binary {
    /// The function.
    pub alg: AlgKind,
    /// The first source.
    pub src0: MemoryDesc,
    /// The second source.
    pub src1: MemoryDesc,
    /// The condition of [`AlgKind::BinarySelect`], s8.
    pub src2: Option<MemoryDesc>,
    /// The destination.
    pub dst: MemoryDesc,
}

impl Binary {
    /// The layout of the first source must be given; the others may follow it.
    pub fn new(
        alg: AlgKind,
        src0: &MemoryDesc,
        src1: &MemoryDesc,
        src2: Option<&MemoryDesc>,
        dst: &MemoryDesc,
    ) -> Result<Binary> {
        ensure!(alg.is_binary(), "{alg} is not a binary algorithm");
        ensure!(alg != AlgKind::BinarySelect || src2.is_some(), "select needs a condition");
        let tensors = [("src0", src0), ("src1", src1), ("dst", dst)];
        check::has_layout("src0", src0)?;
        for (name, md) in tensors.into_iter().chain(src2.map(|src2| ("src2", src2))) {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
        }
        check::broadcasts_to("src0", src0, dst)?;
        check::broadcasts_to("src1", src1, dst)?;
        for (d, &dim) in dst.dims().iter().enumerate() {
            let is_covered = src0.dims()[d] == dim || src1.dims()[d] == dim;
            ensure!(
                is_covered,
                "dimension {d} of dst is {dim}, in the sources {} and {}",
                src0.dims()[d],
                src1.dims()[d]
            );
        }
        if let Some(src2) = src2 {
            check::broadcasts_to("src2", src2, dst)?;
            ensure!(src2.data_type() == DataType::S8, "a condition of type {}, not s8", src2.data_type());
        }
        for (name, md) in tensors {
            check::is_numeric(name, md.data_type())?;
        }
        let src2 = src2.filter(|_| alg == AlgKind::BinarySelect).cloned();
        Ok(Binary { alg, src0: src0.clone(), src1: src1.clone(), src2, dst: dst.clone() })
    }
}

impl Operation for Binary {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Binary
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = vec![ArgDesc::input(arg::SRC_0, &self.src0), ArgDesc::input(arg::SRC_1, &self.src1)];
        tensors.extend(self.src2.iter().map(|src2| ArgDesc::input(arg::SRC_2, src2)));
        tensors.push(ArgDesc::output(arg::DST, &self.dst));
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        self.src1 = self.src1.resolve_like(&self.src0)?;
        if let Some(src2) = &mut self.src2 {
            *src2 = src2.resolve_like(&self.src0)?;
        }
        self.dst = self.dst.resolve_like(&self.src0)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let one_each = attr.all_scales().values().all(|scales| scales.mask == 0);
        supported!(one_each, "more than one scale for a source");
        Accepted {
            scales: QuantSupport { args: &[arg::SRC_0, arg::SRC_1], ..QuantSupport::default() },
            post_ops: &[PrimitiveKind::Sum, PrimitiveKind::Eltwise, PrimitiveKind::Binary],
            ..Accepted::default()
        }
        .check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let sources = [&self.src0, &self.src1].into_iter().chain(&self.src2);
        sources.map(|md| ("src", md)).chain([("dst", &self.dst)]).collect()
    }

    fn verbose_parameters(&self) -> String {
        format!("alg:{}", self.alg)
    }

    fn verbose_shape(&self) -> String {
        let sources = [&self.src0, &self.src1].into_iter().chain(&self.src2);
        sources.map(|md| md.dims().to_string()).collect::<Vec<_>>().join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag, Op, Quant, RUNTIME_DIM};

    fn md(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, F32, None).unwrap()
    }

    #[test]
    fn shapes_broadcast_or_are_invalid() {
        let status = |src0: &[i64], src1: &[i64], dst: &[i64]| {
            Binary::new(AlgKind::BinaryAdd, &md(src0), &md(src1), None, &md(dst))
                .map(drop)
                .map_err(|error| error.status())
        };
        assert_eq!(status(&[2, 1], &[1, 3], &[2, 3]), Ok(()), "each source may broadcast");
        assert_eq!(status(&[0, 3], &[0, 3], &[0, 3]), Ok(()));
        assert_eq!(status(&[1, 3], &[1, 3], &[2, 3]), Err(InvalidArguments));
        assert_eq!(status(&[2, 3], &[2, 2], &[2, 3]), Err(InvalidArguments));
        assert_eq!(status(&[2, 3], &[3], &[2, 3]), Err(InvalidArguments));
    }

    #[test]
    fn wrong_requests_have_the_right_status() {
        let new = |alg, src0: &MemoryDesc, src2: Option<&MemoryDesc>| {
            Binary::new(alg, src0, &md(&[2]), src2, &md(&[2])).map(drop).map_err(|error| error.status())
        };
        assert_eq!(new(AlgKind::EltwiseRelu, &md(&[2]), None), Err(InvalidArguments));
        assert_eq!(new(AlgKind::BinarySelect, &md(&[2]), None), Err(InvalidArguments));
        assert_eq!(new(AlgKind::BinarySelect, &md(&[2]), Some(&md(&[2]))), Err(InvalidArguments));
        assert_eq!(new(AlgKind::BinarySelect, &md(&[2]), Some(&md(&[2]).with_data_type(S8))), Ok(()));
        assert_eq!(new(AlgKind::BinaryAdd, &MemoryDesc::any(&[2], F32).unwrap(), None), Err(InvalidArguments));
        let runtime = MemoryDesc::with_tag(&[RUNTIME_DIM], F32, FormatTag::A).unwrap();
        assert_eq!(new(AlgKind::BinaryAdd, &runtime, None), Err(Unimplemented));
        assert_eq!(new(AlgKind::BinaryAdd, &md(&[2]).with_data_type(U4), None), Err(Unimplemented));
    }

    #[test]
    fn open_layouts_follow_the_first_source() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, F16).unwrap();
        let src0 = MemoryDesc::with_tag(&[2, 16, 4, 4], F32, FormatTag::NHWC).unwrap();
        let asked =
            Op::from(Binary::new(AlgKind::BinaryMul, &src0, &any(&[1, 16, 1, 1]), None, &any(&[2, 16, 4, 4])).unwrap());
        let mut op = asked.clone();
        op.resolve(&mut Attr::new()).unwrap();
        assert_eq!(
            op.verbose(&asked, &Attr::new()),
            "src:f32::blocked:acdb::f0 src:f16:a:blocked:acdb::f0 dst:f16:a:blocked:acdb::f0,,\
             alg:binary_mul,2x16x4x4:1x16x1x1"
        );
    }

    #[test]
    fn scales_are_per_source_and_single() {
        let binary = Binary::new(AlgKind::BinaryAdd, &md(&[2]), &md(&[2]), None, &md(&[2])).unwrap();
        let status = |arg, quant| binary.check_attr(&Attr::new().with_scales(arg, quant).unwrap()).is_ok();
        assert!(status(arg::SRC_0, Quant::scales(0)) && status(arg::SRC_1, Quant::scales(0).on_host()));
        assert!(!status(arg::DST, Quant::scales(0)));
        assert!(!status(arg::SRC_1, Quant::scales(1)));
    }

    #[test]
    fn zero_points_are_refused_and_are_an_error_for_the_second_source() {
        let binary = Binary::new(AlgKind::BinaryAdd, &md(&[2]), &md(&[2]), None, &md(&[2])).unwrap();
        for (arg, status) in [(arg::SRC_0, Unimplemented), (arg::SRC_1, InvalidArguments), (arg::DST, Unimplemented)] {
            let attr = Attr::new().with_zero_points(arg, Quant::zero_points(0)).unwrap();
            assert_eq!(binary.check_attr(&attr).unwrap_err().status(), status);
        }
    }
}
