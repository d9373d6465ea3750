//! The scaled sum of several tensors.

use super::arg;
use super::attr::Attr;
use super::check;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::PrimitiveKind;
use crate::{Result, ensure};

/// `dst = scales[0] * srcs[0] + scales[1] * srcs[1] + …`
///
/// ```
/// use oxidnn::desc::{DataType, MemoryDesc, Sum};
/// let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None).unwrap();
/// assert!(Sum::new(&[1.0, 0.5], &[md.clone(), md], None).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sum {
    /// A factor for each source.
    pub scales: Vec<Float>,
    /// The sources.
    pub srcs: Vec<MemoryDesc>,
    /// The destination.
    pub dst: MemoryDesc,
}

impl Sum {
    /// The layouts of the sources must be given. Without a destination it is like the first source.
    pub fn new(scales: &[f32], srcs: &[MemoryDesc], dst: Option<&MemoryDesc>) -> Result<Sum> {
        ensure!(!srcs.is_empty(), "no sources");
        ensure!(scales.len() == srcs.len(), "{} scales for {} sources", scales.len(), srcs.len());
        for md in srcs {
            check::is_dense("a source", md)?;
            check::is_known("a source", md)?;
            check::has_layout("a source", md)?;
            check::same_dims("a source", md, "the first", &srcs[0])?;
        }
        let dst = match dst {
            Some(dst) => dst.clone(),
            None => MemoryDesc::any(srcs[0].dims(), srcs[0].data_type())?,
        };
        check::is_dense("dst", &dst)?;
        ensure!(!dst.has_runtime_dims_or_strides(), "dimensions or strides of dst are only known at execution");
        check::same_dims("dst", &dst, "the first source", &srcs[0])?;
        Ok(Sum { scales: scales.iter().copied().map(Float).collect(), srcs: srcs.to_vec(), dst })
    }
}

impl Operation for Sum {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Sum
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let srcs = self.srcs.iter().enumerate().map(|(i, src)| ArgDesc::input(arg::multiple_src(i), src));
        srcs.chain([ArgDesc::output(arg::DST, &self.dst)]).collect()
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        let blocked = self.srcs.iter().find(|src| !src.is_plain());
        self.dst = self.dst.resolve_like(blocked.unwrap_or(&self.srcs[0]))?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        Accepted::default().check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        self.srcs.iter().map(|src| ("src", src)).chain([("dst", &self.dst)]).collect()
    }

    fn verbose_shape(&self) -> String {
        self.dst.dims().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag, RUNTIME_DIM};

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn destination_takes_the_first_blocked_layout() {
        let srcs = [tagged(&[2, 8, 4, 4], "nchw"), tagged(&[2, 8, 4, 4], "nChw8c")];
        let mut sum = Sum::new(&[1.0, 2.0], &srcs, None).unwrap();
        assert!(sum.dst.is_any());
        sum.resolve().unwrap();
        assert!(sum.dst.matches_tag(FormatTag::from_name("nChw8c").unwrap()));
        let tensors: Vec<i32> = sum.tensors().iter().map(|desc| desc.arg).collect();
        assert_eq!(tensors, [1024, 1025, 17]);
    }

    #[test]
    fn wrong_requests_have_the_right_status() {
        let plain = tagged(&[2, 3], "ab");
        let status = |scales: &[f32], srcs: &[MemoryDesc]| Sum::new(scales, srcs, None).unwrap_err().status();
        assert_eq!(status(&[], &[]), InvalidArguments);
        assert_eq!(status(&[1.0], &[plain.clone(), plain.clone()]), InvalidArguments);
        assert_eq!(status(&[1.0, 1.0], &[plain.clone(), tagged(&[3, 2], "ab")]), InvalidArguments);
        assert_eq!(status(&[1.0], &[MemoryDesc::any(&[2], F32).unwrap()]), InvalidArguments);
        assert_eq!(status(&[1.0], &[tagged(&[RUNTIME_DIM, 3], "ab")]), Unimplemented);
    }
}
