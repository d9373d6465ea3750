//! Interleaving groups along a dimension.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Forward: a dimension is taken as rows of groups and transposed. Backward: the same the other way round.
///
/// ```
/// use oxidnn::desc::{DataType, MemoryDesc, PropKind, Shuffle};
/// let md = MemoryDesc::with_strides(&[2, 6], DataType::F32, None).unwrap();
/// assert!(Shuffle::forward(PropKind::ForwardInference, &md, &md, 1, 3).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shuffle {
    /// The pass.
    pub prop: PropKind,
    /// The dimension.
    pub axis: usize,
    /// Elements of a group.
    pub group_size: i64,
    /// The source, or its gradient in the backward pass.
    pub src: MemoryDesc,
    /// The destination, or its gradient in the backward pass.
    pub dst: MemoryDesc,
}

impl Shuffle {
    /// A forward pass. The layout of the source must be given.
    pub fn forward(
        prop: PropKind,
        src: &MemoryDesc,
        dst: &MemoryDesc,
        axis: usize,
        group_size: i64,
    ) -> Result<Shuffle> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        Shuffle::new(prop, src, dst, axis, group_size)
    }

    /// A backward pass. Layouts that are left open are those of the forward pass, if that is known.
    pub fn backward(
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        axis: usize,
        group_size: i64,
        forward: Option<&Shuffle>,
    ) -> Result<Shuffle> {
        let mut op = Shuffle::new(PropKind::BackwardData, diff_src, diff_dst, axis, group_size)?;
        if let Some(forward) = forward.filter(|forward| forward.src.ndims() == op.src.ndims()) {
            op.src = op.src.resolve_like(&forward.src)?;
        }
        Ok(op)
    }

    fn new(prop: PropKind, src: &MemoryDesc, dst: &MemoryDesc, axis: usize, group_size: i64) -> Result<Shuffle> {
        for (name, md) in [("src", src), ("dst", dst)] {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            check::is_numeric(name, md.data_type())?;
        }
        ensure!(axis < src.ndims(), "axis {axis} of {} dimensions", src.ndims());
        let size = src.dims()[axis];
        let fits = group_size > 0 && group_size <= size && size % group_size == 0;
        ensure!(fits, "groups of {group_size} in a dimension of {size}");
        check::same_dims("dst", dst, "src", src)?;
        supported!(src.data_type() == dst.data_type(), "from {} to {}", src.data_type(), dst.data_type());
        let same_layout = src.is_any() || dst.is_any() || dst.has_same_layout(src);
        supported!(same_layout, "a destination in another layout than the source");
        Ok(Shuffle { prop, axis, group_size, src: src.clone(), dst: dst.clone() })
    }
}

impl Operation for Shuffle {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Shuffle
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
        self.src = self.src.resolve_plain()?;
        self.dst = self.dst.resolve_like(&self.src)?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        Accepted::default().check(attr, self.dst())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("data", &self.src)]
    }

    fn verbose_parameters(&self) -> String {
        format!("axis:{} group:{}", self.axis, self.group_size)
    }

    fn verbose_shape(&self) -> String {
        self.src.dims().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType;

    #[test]
    fn groups_must_divide_the_dimension() {
        let md = MemoryDesc::with_strides(&[2, 6], DataType::F32, None).unwrap();
        let new = |axis, group| Shuffle::forward(PropKind::ForwardTraining, &md, &md, axis, group);
        assert!(new(1, 2).is_ok());
        assert!(new(1, 4).is_err());
        assert!(new(1, 0).is_err());
        assert!(new(2, 1).is_err());
    }
}
