//! Batch, layer and group normalization: one operation, which differs in what shares a mean and a variance.

use super::arg;
use super::attr::Attr;
use super::check;
use super::dims::Dims;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Diff, Operation};
use super::support::{Accepted, QuantSupport};
use super::types::{DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// Which elements share a mean and a variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// All elements of a channel (dimension 1).
    Batch,
    /// All elements along the last dimension.
    Layer,
    /// All elements of a group of channels of one image.
    Group {
        /// How many groups.
        groups: i64,
    },
}

/// The flags of a normalization, by the C API's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NormFlags(pub u32);

#[allow(missing_docs)]
impl NormFlags {
    pub const USE_GLOBAL_STATS: NormFlags = NormFlags(1);
    pub const USE_SCALE: NormFlags = NormFlags(2);
    pub const USE_SHIFT: NormFlags = NormFlags(4);
    pub const FUSE_NORM_RELU: NormFlags = NormFlags(8);
    pub const FUSE_NORM_ADD_RELU: NormFlags = NormFlags(16);
    pub const RMS_NORM: NormFlags = NormFlags(32);

    /// Whether all of `flags` are set.
    pub fn has(self, flags: NormFlags) -> bool {
        self.0 & flags.0 == flags.0
    }
}

/// `dst = scale * (src - mean) / sqrt(variance + epsilon) + shift`, and its gradient.
///
/// ```
/// use oxidnn::desc::{DataType, MemoryDesc, NormFlags, Normalization, PropKind, Sharing};
/// let md = MemoryDesc::with_strides(&[2, 4, 3, 3], DataType::F32, None).unwrap();
/// let flags = NormFlags::USE_SCALE;
/// let norm = Normalization::forward(Sharing::Batch, PropKind::ForwardTraining, &md, &md, None, None, 1e-5, flags);
/// assert_eq!(*norm.unwrap().stat.dims(), [4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Normalization {
    /// What shares a mean and a variance.
    pub sharing: Sharing,
    /// The pass.
    pub prop: PropKind,
    /// What is added to the variance.
    pub epsilon: Float,
    /// What else is asked for.
    pub flags: NormFlags,
    /// The source.
    pub src: MemoryDesc,
    /// The destination; in the backward pass, like its gradient.
    pub dst: MemoryDesc,
    /// Mean and variance.
    pub stat: MemoryDesc,
    /// Scale and shift, and their gradients.
    pub scale_shift: MemoryDesc,
    /// The gradients, in the backward pass.
    pub diff: Option<Diff>,
}

impl Normalization {
    /// A forward pass. The layout of the source must be given. Only layer normalization takes descriptors of the statistics
    /// and types of scale and shift.
    #[allow(clippy::too_many_arguments, reason = "as many as the operation has")]
    pub fn forward(
        sharing: Sharing,
        prop: PropKind,
        src: &MemoryDesc,
        dst: &MemoryDesc,
        stat: Option<&MemoryDesc>,
        scale_shift: Option<DataType>,
        epsilon: f32,
        flags: NormFlags,
    ) -> Result<Normalization> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        check::has_layout("src", src)?;
        Normalization::new(sharing, prop, (src, dst), stat, scale_shift, epsilon, flags, None)
    }

    /// A backward pass: of the source alone, or with [`PropKind::Backward`] of scale and shift too.
    #[allow(clippy::too_many_arguments, reason = "as many as the operation has")]
    pub fn backward(
        sharing: Sharing,
        prop: PropKind,
        diff_src: &MemoryDesc,
        diff_dst: &MemoryDesc,
        src: &MemoryDesc,
        stat: Option<&MemoryDesc>,
        scale_shift: Option<DataType>,
        epsilon: f32,
        flags: NormFlags,
    ) -> Result<Normalization> {
        ensure!(matches!(prop, PropKind::Backward | PropKind::BackwardData), "{prop} is not a backward pass");
        let diff = Diff { src: diff_src.clone(), dst: diff_dst.clone() };
        Normalization::new(sharing, prop, (src, diff_dst), stat, scale_shift, epsilon, flags, Some(diff))
    }

    #[allow(clippy::too_many_arguments, reason = "as many as the operation has")]
    fn new(
        sharing: Sharing,
        prop: PropKind,
        (src, dst): (&MemoryDesc, &MemoryDesc),
        stat: Option<&MemoryDesc>,
        scale_shift: Option<DataType>,
        epsilon: f32,
        flags: NormFlags,
        diff: Option<Diff>,
    ) -> Result<Normalization> {
        let ndims = src.ndims();
        let allowed = match sharing {
            Sharing::Batch => 0b11111,
            Sharing::Layer => 0b100111,
            Sharing::Group { .. } => 0b111,
        };
        ensure!(flags.0 & !allowed == 0, "flags {:#x}", flags.0);
        ensure!(ndims >= 2, "a tensor of {ndims} dimensions is normalized");
        if let Sharing::Group { groups } = sharing {
            let channels = src.dims()[1];
            ensure!(
                groups > 0 && groups <= channels && channels % groups == 0,
                "{channels} channels in {groups} groups"
            );
        }
        ensure!(sharing != Sharing::Layer || ndims <= 5, "a tensor of {ndims} dimensions is normalized");
        let gradients = diff.iter().flat_map(|diff| [("diff_src", &diff.src), ("diff_dst", &diff.dst)]);
        for (name, md) in [("src", src), ("dst", dst)].into_iter().chain(gradients) {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            check::same_dims(name, md, "src", src)?;
            check::is_numeric(name, md.data_type())?;
            supported!(md.data_type() != DataType::S32, "normalization with {name} of type s32");
            let is_float = md.data_type().is_float();
            supported!(is_float || diff.is_none(), "a gradient with {name} of type {}", md.data_type());
        }
        if sharing == Sharing::Batch {
            supported!(src.data_type() == dst.data_type(), "from {} to {}", src.data_type(), dst.data_type());
            let same_layout = diff.is_some() || dst.is_any() || dst.has_same_layout(src);
            supported!(same_layout, "a destination in another layout than the source");
            let both = NormFlags(NormFlags::FUSE_NORM_RELU.0 | NormFlags::FUSE_NORM_ADD_RELU.0);
            supported!(!flags.has(both), "fused relu with and without addition");
            let is_int = src.data_type().is_integer();
            let inference = prop == PropKind::ForwardInference && flags.has(NormFlags::USE_GLOBAL_STATS);
            supported!(!is_int || inference, "statistics of integers");
        }
        let stat_dims: Dims = match sharing {
            Sharing::Batch => Dims::new(&[src.dims()[1]])?,
            Sharing::Layer => Dims::new(&src.dims()[..ndims - 1])?,
            Sharing::Group { groups } => Dims::new(&[src.dims()[0], groups])?,
        };
        let stat = match stat.filter(|md| !md.is_zero()) {
            Some(md) => {
                ensure!(*md.dims() == stat_dims, "statistics of {}, expected are {stat_dims}", md.dims());
                check::is_dense("the statistics", md)?;
                check::is_known("the statistics", md)?;
                supported!(md.data_type() == DataType::F32, "statistics of type {}", md.data_type());
                md.clone()
            }
            None if sharing == Sharing::Layer => MemoryDesc::any(&stat_dims, DataType::F32)?,
            None => MemoryDesc::with_strides(&stat_dims, DataType::F32, None)?,
        };
        let channel = if sharing == Sharing::Layer { ndims - 1 } else { 1 };
        let used = flags.0 & (NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0) != 0;
        let scale_shift = match scale_shift.unwrap_or(DataType::F32) {
            data_type if used => {
                let ok = matches!(data_type, DataType::F32 | DataType::Bf16 | DataType::F16);
                supported!(ok, "scale and shift of type {data_type}");
                MemoryDesc::with_strides(&[src.dims()[channel]], data_type, None)?
            }
            _ => MemoryDesc::ZERO,
        };
        Ok(Normalization {
            sharing,
            prop,
            epsilon: Float(epsilon),
            flags,
            src: src.clone(),
            dst: dst.clone(),
            stat,
            scale_shift,
            diff,
        })
    }

    /// The dimension along which scale and shift differ.
    pub fn channel(&self) -> usize {
        if self.sharing == Sharing::Layer { self.src.ndims() - 1 } else { 1 }
    }

    /// Whether mean and variance are given.
    pub fn stats_are_given(&self) -> bool {
        self.diff.is_some() || self.flags.has(NormFlags::USE_GLOBAL_STATS)
    }

    /// Whether there is a mean; without, the root mean square stands for the deviation.
    pub fn has_mean(&self) -> bool {
        !self.flags.has(NormFlags::RMS_NORM)
    }

    /// Whether negative results are cut off, with or without an addition before that.
    pub fn has_relu(&self) -> bool {
        self.flags.has(NormFlags::FUSE_NORM_RELU) || self.adds()
    }

    /// Whether a second source is added before the cut.
    pub fn adds(&self) -> bool {
        self.flags.has(NormFlags::FUSE_NORM_ADD_RELU)
    }

    /// Whether the gradients of scale and shift are asked for.
    pub fn has_weight_gradients(&self) -> bool {
        self.prop == PropKind::Backward
    }

    /// The workspace as a tensor: for each element, whether the result was positive.
    pub fn workspace(&self) -> Result<Option<MemoryDesc>> {
        if !self.has_relu() || self.prop == PropKind::ForwardInference {
            return Ok(None);
        }
        MemoryDesc::any(self.src.dims(), DataType::U8)?.resolve_like(&self.src).map(Some)
    }
}

impl Operation for Normalization {
    fn kind(&self) -> PrimitiveKind {
        match self.sharing {
            Sharing::Batch => PrimitiveKind::BatchNormalization,
            Sharing::Layer => PrimitiveKind::LayerNormalization,
            Sharing::Group { .. } => PrimitiveKind::GroupNormalization,
        }
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = vec![ArgDesc::input(arg::SRC, &self.src)];
        let (scale, shift) = (self.flags.has(NormFlags::USE_SCALE), self.flags.has(NormFlags::USE_SHIFT));
        let stats = [(arg::MEAN, self.has_mean()), (arg::VARIANCE, true)];
        let stats = stats.into_iter().filter(|(_, used)| *used).map(|(number, _)| number);
        if self.stats_are_given() {
            tensors.extend(stats.map(|number| ArgDesc::input(number, &self.stat)));
        } else if self.prop == PropKind::ForwardTraining {
            tensors.extend(stats.map(|number| ArgDesc::output(number, &self.stat)));
        }
        if scale {
            tensors.push(ArgDesc::input(arg::SCALE, &self.scale_shift));
        }
        // The workspace is bytes to the outside; its layout is nobody's business.
        let workspace = self.workspace().ok().flatten().and_then(|md| {
            let bytes = md.size() as i64;
            MemoryDesc::with_strides(&[bytes], DataType::U8, None).ok()
        });
        match &self.diff {
            None => {
                if shift {
                    tensors.push(ArgDesc::input(arg::SHIFT, &self.scale_shift));
                }
                if self.adds() {
                    tensors.push(ArgDesc::input(arg::SRC_1, &self.dst));
                }
                tensors.push(ArgDesc::output(arg::DST, &self.dst));
                tensors.extend(workspace.iter().map(|md| ArgDesc::output(arg::WORKSPACE, md)));
            }
            Some(diff) => {
                tensors.push(ArgDesc::input(arg::DIFF_DST, &diff.dst));
                tensors.extend(workspace.iter().map(|md| ArgDesc::input(arg::WORKSPACE, md)));
                tensors.push(ArgDesc::output(arg::DIFF_SRC, &diff.src));
                if self.adds() {
                    tensors.push(ArgDesc::output(arg::DIFF_SRC_1, &diff.dst));
                }
                if self.has_weight_gradients() {
                    let gradients = [(arg::DIFF_SCALE, scale), (arg::DIFF_SHIFT, shift)];
                    let used = gradients.into_iter().filter(|(_, used)| *used);
                    tensors.extend(used.map(|(number, _)| ArgDesc::output(number, &self.scale_shift)));
                }
            }
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
            diff.src = diff.src.resolve_like(&self.src)?;
            self.dst = diff.dst.clone();
        }
        self.dst = self.dst.resolve_like(&self.src)?;
        self.stat = match self.stat.is_any() {
            true => stat_layout(&self.stat, &self.src)?,
            false => self.stat.clone(),
        };
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        if self.diff.is_some() {
            return Accepted::default().check(attr, self.dst());
        }
        if self.sharing == Sharing::Batch {
            return Accepted { post_ops: &[PrimitiveKind::Eltwise], ..Accepted::default() }.check(attr, &self.dst);
        }
        let is_int = |md: &MemoryDesc| matches!(md.data_type(), DataType::S8 | DataType::U8);
        let of_layers = self.sharing == Sharing::Layer;
        let scales: &[i32] = match (is_int(&self.src), is_int(&self.dst)) {
            (false, false) => &[],
            (true, true) => &[arg::SRC, arg::DST],
            _ if of_layers => &[arg::SRC, arg::DST],
            (true, false) => &[arg::SRC],
            (false, true) => &[arg::DST],
        };
        let one_each = attr.all_scales().values().all(|scales| scales.mask == 0);
        supported!(one_each, "more than one scale for a tensor");
        Accepted {
            scales: QuantSupport { args: scales, ..QuantSupport::default() },
            post_ops: &[PrimitiveKind::Eltwise, PrimitiveKind::Binary],
            ..Accepted::default()
        }
        .check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let diff = self.diff.as_ref();
        match self.sharing {
            Sharing::Batch => [("data", &self.src)].into_iter().chain(diff.map(|diff| ("diff", &diff.src))).collect(),
            Sharing::Group { .. } => {
                let tensors = [("src", &self.src), ("dst", &self.dst)];
                tensors.into_iter().chain(diff.map(|diff| ("diff_src", &diff.src))).collect()
            }
            Sharing::Layer => {
                let mut tensors = vec![("src", &self.src), ("dst", &self.dst), ("stats", &self.stat)];
                let scale = self.flags.has(NormFlags::USE_SCALE);
                let shift = self.flags.has(NormFlags::USE_SHIFT);
                tensors.extend(scale.then_some(("scale", &self.scale_shift)));
                tensors.extend(shift.then_some(("shift", &self.scale_shift)));
                if let Some(diff) = diff {
                    tensors.push(("diff_src", &diff.src));
                    tensors.extend(scale.then_some(("diff_scale", &self.scale_shift)));
                    tensors.extend(shift.then_some(("diff_shift", &self.scale_shift)));
                }
                tensors
            }
        }
    }

    fn verbose_parameters(&self) -> String {
        let letters = "GCHRAM".chars().enumerate().filter(|(bit, _)| self.flags.0 >> bit & 1 == 1);
        format!("flags:{}", letters.map(|(_, letter)| letter).collect::<String>())
    }

    fn verbose_shape(&self) -> String {
        match self.sharing {
            Sharing::Batch => self.src.dims().image_text(),
            Sharing::Layer => self.src.dims().to_string(),
            Sharing::Group { groups } => format!("g{groups}{}", self.src.dims().image_text()),
        }
    }
}

/// Statistics in the order of the source without its last dimension; row-major if that one is blocked.
fn stat_layout(stat: &MemoryDesc, src: &MemoryDesc) -> Result<MemoryDesc> {
    let last = src.ndims() - 1;
    let Some(strides) = src.strides().filter(|_| src.inner_blocks().iter().all(|block| block.dim != last)) else {
        return stat.resolve_plain();
    };
    let strides: Vec<i64> = strides[..last].to_vec();
    let mut order: Vec<usize> = (0..last).collect();
    order.sort_by_key(|&d| (std::cmp::Reverse(strides[d]), d));
    let layout = super::tag::Layout { order, inner: src.inner_blocks().to_vec() };
    MemoryDesc::with_layout(stat.dims(), stat.data_type(), &layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::FormatTag;

    fn args(op: &Normalization) -> Vec<i32> {
        op.tensors().iter().map(|desc| desc.arg).collect()
    }

    #[test]
    fn arguments_follow_flags_and_passes() {
        let md = MemoryDesc::with_strides(&[2, 4, 3, 3], DataType::F32, None).unwrap();
        let flags = NormFlags(NormFlags::USE_SHIFT.0 | NormFlags::FUSE_NORM_ADD_RELU.0);
        let forward =
            |prop, flags| Normalization::forward(Sharing::Batch, prop, &md, &md, None, None, 1e-5, flags).unwrap();
        let inference = args(&forward(PropKind::ForwardInference, NormFlags::default()));
        assert_eq!(inference, [arg::SRC, arg::DST]);
        let training = args(&forward(PropKind::ForwardTraining, flags));
        let stats = [arg::SRC, arg::MEAN, arg::VARIANCE];
        assert_eq!(training[..3], stats);
        assert_eq!(training[3..], [arg::SHIFT, arg::SRC_1, arg::DST, arg::WORKSPACE]);
        let group = Sharing::Group { groups: 3 };
        let uneven = Normalization::forward(group, PropKind::ForwardTraining, &md, &md, None, None, 0.0, flags);
        assert_eq!(uneven.unwrap_err().status(), crate::Status::InvalidArguments);
    }

    #[test]
    fn statistics_of_layers_have_the_order_of_the_source() {
        let md = MemoryDesc::with_tag(&[2, 4, 3], DataType::F32, FormatTag::from_name("bac").unwrap()).unwrap();
        let prop = PropKind::ForwardTraining;
        let flags = NormFlags::RMS_NORM;
        let mut op = Normalization::forward(Sharing::Layer, prop, &md, &md, None, None, 1e-5, flags).unwrap();
        op.resolve().unwrap();
        assert!(op.stat.matches_tag(FormatTag::from_name("ba").unwrap()));
        assert_eq!(args(&op), [arg::SRC, arg::VARIANCE, arg::DST]);
    }
}
