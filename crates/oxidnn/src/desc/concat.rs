//! Putting tensors one after another.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::{Accepted, QuantSupport};
use super::types::PrimitiveKind;
use crate::{Error, Result, ensure, supported};

/// `dst` holds the sources one after another along an axis.
///
/// ```
/// use oxidnn::desc::{Concat, DataType, MemoryDesc};
/// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
/// let concat = Concat::new(1, &[md(&[2, 3]), md(&[2, 4])], None).unwrap();
/// assert_eq!(*concat.dst.dims(), [2, 7]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Concat {
    /// The dimension along which they follow each other.
    pub axis: usize,
    /// The sources.
    pub srcs: Vec<MemoryDesc>,
    /// The destination.
    pub dst: MemoryDesc,
}

impl Concat {
    /// The layouts of the sources must be given, their types must agree. Without a destination it is like the first source.
    pub fn new(axis: usize, srcs: &[MemoryDesc], dst: Option<&MemoryDesc>) -> Result<Concat> {
        let first = srcs.first().ok_or_else(|| Error::invalid("no sources"))?;
        ensure!(axis < first.ndims(), "axis {axis} of {} dimensions", first.ndims());
        let mut dims = *first.dims();
        dims[axis] = 0;
        for md in srcs {
            ensure!(md.ndims() == first.ndims(), "sources of {} and {} dimensions", md.ndims(), first.ndims());
            check::is_dense("a source", md)?;
            check::is_known("a source", md)?;
            check::has_layout("a source", md)?;
            ensure!(
                md.data_type() == first.data_type(),
                "sources of types {} and {}",
                md.data_type(),
                first.data_type()
            );
            for d in (0..md.ndims()).filter(|&d| d != axis) {
                ensure!(md.dims()[d] == dims[d], "dimension {d} of the sources is {} and {}", md.dims()[d], dims[d]);
            }
            let total = dims[axis].checked_add(md.dims()[axis]);
            dims[axis] = total.ok_or_else(|| Error::invalid("the sources are too large"))?;
        }
        let dst = match dst {
            Some(dst) => dst.clone(),
            None => MemoryDesc::any(&dims, first.data_type())?,
        };
        check::is_dense("dst", &dst)?;
        ensure!(!dst.has_runtime_dims_or_strides(), "dimensions or strides of dst are only known at execution");
        ensure!(*dst.dims() == dims, "dst is {}, the sources together are {dims}", dst.dims());
        Ok(Concat { axis, srcs: srcs.to_vec(), dst })
    }

    /// Whether a layout of the destination has a part for each source that does not cut a block.
    fn can_be_split(&self, dst: &MemoryDesc) -> bool {
        let mut offsets = *dst.padded_offsets();
        self.srcs.iter().all(|src| {
            let is_ok = dst.submemory(src.dims(), &offsets).is_ok();
            offsets[self.axis] += src.dims()[self.axis];
            is_ok
        })
    }
}

impl Operation for Concat {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Concat
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
        let plain = self.srcs.iter().find(|src| src.is_plain());
        if let Some(blocked) = blocked {
            let dst = self.dst.resolve_like(blocked)?;
            if self.can_be_split(&dst) {
                self.dst = dst;
            }
        }
        self.dst = match plain {
            Some(plain) => self.dst.resolve_like(plain)?,
            None => self.dst.resolve_plain()?,
        };
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let one_each = attr.all_scales().values().all(|scales| scales.mask == 0);
        supported!(one_each, "more than one scale for a source");
        let args: Vec<i32> = (0..self.srcs.len()).map(arg::multiple_src).collect();
        let scales = QuantSupport { args: &args, ..QuantSupport::default() };
        Accepted { scales, ..Accepted::default() }.check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        self.srcs.iter().map(|src| ("src", src)).chain([("dst", &self.dst)]).collect()
    }

    fn verbose_parameters(&self) -> String {
        format!("axis:{}", self.axis)
    }

    fn verbose_shape(&self) -> String {
        self.srcs.iter().map(|src| src.dims().to_string()).collect::<Vec<_>>().join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status::{InvalidArguments, Unimplemented};
    use crate::desc::{DataType::*, FormatTag, Op, Quant, RUNTIME_DIM};

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn destination_is_blocked_if_no_block_is_shared() {
        let resolved = |channels: [i64; 2]| {
            let srcs = [tagged(&[2, channels[0], 4, 4], "nChw8c"), tagged(&[2, channels[1], 4, 4], "nhwc")];
            let mut concat = Concat::new(1, &srcs, None).unwrap();
            concat.resolve().unwrap();
            concat.dst.tag_name()
        };
        assert_eq!(resolved([8, 4]), "aBcd8b");
        assert_eq!(resolved([4, 8]), "acdb");
    }

    #[test]
    fn wrong_requests_have_the_right_status() {
        let src = tagged(&[2, 3], "ab");
        let status =
            |axis, srcs: &[MemoryDesc], dst: Option<&MemoryDesc>| Concat::new(axis, srcs, dst).unwrap_err().status();
        assert_eq!(status(0, &[], None), InvalidArguments);
        assert_eq!(status(2, std::slice::from_ref(&src), None), InvalidArguments);
        assert_eq!(status(0, &[src.clone(), tagged(&[2, 4], "ab")], None), InvalidArguments);
        assert_eq!(status(0, &[src.clone(), src.with_data_type(F16)], None), InvalidArguments);
        assert_eq!(status(0, &[src.clone(), src.clone()], Some(&src)), InvalidArguments);
        assert_eq!(status(0, &[MemoryDesc::any(&[2, 3], F32).unwrap()], None), InvalidArguments);
        assert_eq!(status(0, &[tagged(&[2, RUNTIME_DIM], "ab")], None), Unimplemented);
    }

    #[test]
    fn each_source_may_have_a_scale() {
        let op = Op::from(Concat::new(0, &[tagged(&[2], "a"), tagged(&[3], "a")], None).unwrap());
        let ok = |arg, mask| op.check_attr(&Attr::new().with_scales(arg, Quant::scales(mask)).unwrap()).is_ok();
        assert!(ok(arg::multiple_src(1), 0));
        assert!(!ok(arg::multiple_src(2), 0) && !ok(arg::multiple_src(0), 1) && !ok(arg::DST, 0));
    }
}
