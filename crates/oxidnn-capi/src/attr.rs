//! Attributes of primitives.

use std::ffi::c_int;

use oxidnn::desc::{self, Dropout, Float, Quant, RnnLinear, RnnScales};
use oxidnn::{Error, Result};

use crate::boundary::{Status, status};
use crate::handle::{Const, Dim, Enum, Handle, Head, In, InDims, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_or_zero};
use crate::post_ops::PostOps;
use crate::settings::default_fpmath;
use crate::vocabulary::{AccumulationMode, DataType, FpmathMode, QuantizationMode, RoundingMode, ScratchpadMode};

/// What `dnnl_primitive_attr_t` points to: attributes of the library, and in the form that getters lend what of them is
/// lent. Lent parts change in place, never move.
#[repr(C)]
#[derive(Debug)]
pub struct Attr {
    head: Head,
    attr: desc::Attr,
    post_ops: PostOps,
    dropout_mask: MemoryDesc,
    rnn_weights: Vec<f32>,
    rnn_weights_projection: Vec<f32>,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for Attr {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"attr"));
    const NAME: &'static str = "primitive attributes";
    type Owner = Box<Attr>;
}

impl Attr {
    /// The object for attributes of the library.
    pub fn new(attr: desc::Attr) -> Attr {
        Attr {
            head: Head::new::<Attr>(),
            post_ops: PostOps::new(attr.post_ops().clone()),
            dropout_mask: MemoryDesc::new(&dropout_mask(&attr)),
            rnn_weights: values(attr.rnn_weights()),
            rnn_weights_projection: values(attr.rnn_weights_projection()),
            attr,
        }
    }
}

/// What null stands for where attributes may be left out.
pub fn attr_or_default(attr: &Opt<Const<Attr>>) -> Result<desc::Attr> {
    Ok(attr.get()?.map_or_else(default_attr, |attr| attr.attr.clone()))
}

fn default_attr() -> desc::Attr {
    desc::Attr::new().with_fpmath(default_fpmath(), false)
}

fn dropout_mask(attr: &desc::Attr) -> desc::MemoryDesc {
    attr.dropout().map_or(desc::MemoryDesc::ZERO, |dropout| dropout.mask.clone())
}

fn values(scales: &RnnScales) -> Vec<f32> {
    scales.scales.iter().map(|scale| scale.0).collect()
}

/// Creates default attributes.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_create(attr: Out<Mut<Attr>>) -> Status {
    status(|| attr.give_new(Attr::new(default_attr())))
}

/// Copies attributes.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_clone(attr: Out<Mut<Attr>>, existing_attr: Const<Attr>) -> Status {
    status(|| attr.give_new(Attr::new(existing_attr.get()?.attr.clone())))
}

/// Destroys attributes.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_destroy(attr: Mut<Attr>) -> Status {
    status(|| attr.destroy())
}

/// The descriptor of the dropout mask, of 0 dimensions without dropout. It stays the attributes'.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_dropout(attr: Const<Attr>, mask_desc: Opt<Out<Const<MemoryDesc>>>) -> Status {
    status(|| {
        mask_desc.set(Const::lend(&attr.get()?.dropout_mask));
        Ok(())
    })
}

/// Sets dropout with a mask as another output.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_dropout(mut attr: Mut<Attr>, mask_desc: Opt<Const<MemoryDesc>>) -> Status {
    status(|| set_dropout(&mut attr, &mask_desc, DataType::S32, false, false))
}

/// The parameters of dropout. Null pointers are left out; the descriptor stays the attributes'.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_dropout_v2(
    attr: Const<Attr>,
    mask_desc: Opt<Out<Const<MemoryDesc>>>,
    seed_dt: Opt<Out<Enum<DataType>>>,
    use_offset: Opt<Out<c_int>>,
    use_host_scalars: Opt<Out<c_int>>,
) -> Status {
    status(|| {
        let attr = attr.get()?;
        let dropout = attr.attr.dropout();
        mask_desc.set(Const::lend(&attr.dropout_mask));
        seed_dt.set(dropout.map_or(DataType::Undef, |dropout| dropout.seed).into());
        use_offset.set(dropout.is_some_and(|dropout| dropout.use_offset).into());
        use_host_scalars.set(dropout.is_some_and(|dropout| dropout.use_host_scalars).into());
        Ok(())
    })
}

/// Sets dropout: the mask, which null leaves out, the type of the seed, whether there is an offset, and whether the
/// parameters are host scalars.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_dropout_v2(
    mut attr: Mut<Attr>,
    mask_desc: Opt<Const<MemoryDesc>>,
    seed_dt: Enum<DataType>,
    use_offset: c_int,
    use_host_scalars: c_int,
) -> Status {
    status(|| set_dropout(&mut attr, &mask_desc, seed_dt.get()?, use_offset != 0, use_host_scalars != 0))
}

fn set_dropout(
    attr: &mut Mut<Attr>,
    mask_desc: &Opt<Const<MemoryDesc>>,
    seed: DataType,
    use_offset: bool,
    use_host_scalars: bool,
) -> Result<()> {
    let mask = desc_or_zero(mask_desc)?;
    let attr = attr.get_mut()?;
    attr.attr.set_dropout(Dropout { mask, seed, use_offset, use_host_scalars })?;
    attr.dropout_mask = MemoryDesc::new(&dropout_mask(&attr.attr));
    Ok(())
}

/// The floating-point math mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_fpmath_mode(attr: Const<Attr>, mode: Out<Enum<FpmathMode>>) -> Status {
    status(|| mode.set(attr.get()?.attr.fpmath().into()))
}

/// Sets the floating-point math mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_fpmath_mode(mut attr: Mut<Attr>, mode: Enum<FpmathMode>) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_fpmath(mode.get()?, false);
        Ok(())
    })
}

/// The floating-point math mode and whether it applies to integers. Null pointers are left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_fpmath_mode_v2(
    attr: Const<Attr>,
    mode: Opt<Out<Enum<FpmathMode>>>,
    apply_to_int: Opt<Out<c_int>>,
) -> Status {
    status(|| {
        let attr = &attr.get()?.attr;
        mode.set(attr.fpmath().into());
        apply_to_int.set(attr.fpmath_applies_to_int().into());
        Ok(())
    })
}

/// Sets the floating-point math mode and whether it applies to integers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_fpmath_mode_v2(
    mut attr: Mut<Attr>,
    mode: Enum<FpmathMode>,
    apply_to_int: c_int,
) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_fpmath(mode.get()?, apply_to_int != 0);
        Ok(())
    })
}

/// Whether results must not change from run to run.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_deterministic(attr: Const<Attr>, value: Out<c_int>) -> Status {
    status(|| value.set(attr.get()?.attr.deterministic().into()))
}

/// Sets whether results must not change from run to run.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_deterministic(mut attr: Mut<Attr>, value: c_int) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_deterministic(value != 0);
        Ok(())
    })
}

/// The accumulation mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_accumulation_mode(
    attr: Const<Attr>,
    mode: Out<Enum<AccumulationMode>>,
) -> Status {
    status(|| mode.set(attr.get()?.attr.accumulation().into()))
}

/// Sets the accumulation mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_accumulation_mode(
    mut attr: Mut<Attr>,
    mode: Enum<AccumulationMode>,
) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_accumulation(mode.get()?);
        Ok(())
    })
}

/// Who provides the scratchpad.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_scratchpad_mode(
    attr: Const<Attr>,
    mode: Out<Enum<ScratchpadMode>>,
) -> Status {
    status(|| mode.set(attr.get()?.attr.scratchpad().into()))
}

/// Sets who provides the scratchpad.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_scratchpad_mode(mut attr: Mut<Attr>, mode: Enum<ScratchpadMode>) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_scratchpad(mode.get()?);
        Ok(())
    })
}

/// Sets f32 scales for an argument; they vary along the dimensions in `mask`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_scales_mask(mut attr: Mut<Attr>, arg: c_int, mask: c_int) -> Status {
    status(|| attr.get_mut()?.attr.set_scales(arg, Quant::scales(mask)))
}

/// Sets scales for an argument, with groups and a data type.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_scales(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    group_ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
) -> Status {
    status(|| {
        let quant = quant(Quant::scales(mask), group_ndims, &group_dims, &data_type, 0)?;
        attr.get_mut()?.attr.set_scales(arg, quant)
    })
}

/// Sets scales for an argument, with groups, a data type, and where they are.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_scales_v2(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
    is_on_host: c_int,
) -> Status {
    status(|| {
        let quant = quant(Quant::scales(mask), ndims, &group_dims, &data_type, is_on_host)?;
        attr.get_mut()?.attr.set_scales(arg, quant)
    })
}

/// Sets scales for an argument, with groups, a data type, where they are, and who computes them.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_scales_v3(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
    is_on_host: c_int,
    qmode: Enum<QuantizationMode>,
) -> Status {
    status(|| {
        let quant = quant(Quant::scales(mask), ndims, &group_dims, &data_type, is_on_host)?;
        attr.get_mut()?.attr.set_scales(arg, quant.mode(qmode.get()?))
    })
}

/// Sets s32 zero points for an argument; they vary along the dimensions in `mask`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_zero_points_mask(mut attr: Mut<Attr>, arg: c_int, mask: c_int) -> Status {
    status(|| attr.get_mut()?.attr.set_zero_points(arg, Quant::zero_points(mask)))
}

/// Sets zero points for an argument, with groups and a data type.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_zero_points(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    group_ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
) -> Status {
    status(|| {
        let quant = quant(Quant::zero_points(mask), group_ndims, &group_dims, &data_type, 0)?;
        attr.get_mut()?.attr.set_zero_points(arg, quant)
    })
}

/// Sets sums of an argument over groups, which the caller has computed, with groups and a data type.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_precomputed_reductions(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    group_ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
) -> Status {
    status(|| {
        let quant = quant(Quant::zero_points(mask), group_ndims, &group_dims, &data_type, 0)?;
        attr.get_mut()?.attr.set_precomputed_reductions(arg, quant)
    })
}

/// Sets zero points for an argument, with groups, a data type, and where they are.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_zero_points_v2(
    mut attr: Mut<Attr>,
    arg: c_int,
    mask: c_int,
    ndims: c_int,
    group_dims: InDims,
    data_type: Enum<DataType>,
    is_on_host: c_int,
) -> Status {
    status(|| {
        let quant = quant(Quant::zero_points(mask), ndims, &group_dims, &data_type, is_on_host)?;
        attr.get_mut()?.attr.set_zero_points(arg, quant)
    })
}

fn quant(
    quant: Quant,
    group_ndims: c_int,
    group_dims: &InDims,
    data_type: &Enum<DataType>,
    is_on_host: c_int,
) -> Result<Quant> {
    let quant = quant.data_type(data_type.get()?).groups(group_dims.get(group_ndims)?)?;
    Ok(if is_on_host != 0 { quant.on_host() } else { quant })
}

/// Sets how an output argument is rounded.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_rounding(
    mut attr: Mut<Attr>,
    arg: c_int,
    mode: Enum<RoundingMode>,
) -> Status {
    status(|| attr.get_mut()?.attr.set_rounding(arg, mode.get()?))
}

/// How an output argument is rounded.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_rounding(
    attr: Mut<Attr>,
    arg: c_int,
    mode: Out<Enum<RoundingMode>>,
) -> Status {
    status(|| mode.set(attr.get()?.attr.rounding(arg).into()))
}

/// The post-ops. They stay the attributes'.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_post_ops(attr: Const<Attr>, post_ops: Out<Const<PostOps>>) -> Status {
    status(|| post_ops.set(Const::lend(&attr.get()?.post_ops)))
}

/// Sets the post-ops to a copy of these.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_post_ops(mut attr: Mut<Attr>, post_ops: Const<PostOps>) -> Status {
    status(|| {
        // The post-ops may be those that these very attributes lent.
        let ops = post_ops.get()?.ops().clone();
        let attr = attr.get_mut()?;
        attr.attr.set_post_ops(ops.clone());
        attr.post_ops = PostOps::new(ops);
        Ok(())
    })
}

/// Sets the quantization of an RNN's data.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_rnn_data_qparams(mut attr: Mut<Attr>, scale: f32, shift: f32) -> Status {
    status(|| {
        attr.get_mut()?.attr.set_rnn_data(scale, shift);
        Ok(())
    })
}

/// The quantization of an RNN's data. Null pointers are left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_rnn_data_qparams(
    attr: Const<Attr>,
    scale: Opt<Out<f32>>,
    shift: Opt<Out<f32>>,
) -> Status {
    status(|| {
        let (s, z) = attr.get()?.attr.rnn_data();
        scale.set(s);
        shift.set(z);
        Ok(())
    })
}

/// Sets the scales of an RNN's weights.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_rnn_weights_qparams(
    mut attr: Mut<Attr>,
    count: Dim,
    mask: c_int,
    scales: In<f32>,
) -> Status {
    status(|| {
        let attr = attr.get_mut()?;
        attr.attr.set_rnn_weights(mask, scale_list(&scales, count)?)?;
        attr.rnn_weights = values(attr.attr.rnn_weights());
        Ok(())
    })
}

/// The scales of an RNN's weights. Null pointers are left out; the array stays the attributes'.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_rnn_weights_qparams(
    attr: Const<Attr>,
    count: Opt<Out<Dim>>,
    mask: Opt<Out<c_int>>,
    scales: Opt<Out<In<f32>>>,
) -> Status {
    status(|| {
        let attr = attr.get()?;
        count.set(attr.rnn_weights.len() as Dim);
        mask.set(attr.attr.rnn_weights().mask);
        scales.set(In::lend(&attr.rnn_weights));
        Ok(())
    })
}

/// Sets the scales of an RNN's projection weights.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_set_rnn_weights_projection_qparams(
    mut attr: Mut<Attr>,
    count: Dim,
    mask: c_int,
    scales: In<f32>,
) -> Status {
    status(|| {
        let attr = attr.get_mut()?;
        attr.attr.set_rnn_weights_projection(mask, scale_list(&scales, count)?)?;
        attr.rnn_weights_projection = values(attr.attr.rnn_weights_projection());
        Ok(())
    })
}

/// The scales of an RNN's projection weights. Null pointers are left out; the array stays the attributes'.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_attr_get_rnn_weights_projection_qparams(
    attr: Const<Attr>,
    count: Opt<Out<Dim>>,
    mask: Opt<Out<c_int>>,
    scales: Opt<Out<In<f32>>>,
) -> Status {
    status(|| {
        let attr = attr.get()?;
        count.set(attr.rnn_weights_projection.len() as Dim);
        mask.set(attr.attr.rnn_weights_projection().mask);
        scales.set(In::lend(&attr.rnn_weights_projection));
        Ok(())
    })
}

/// Replaces the activations of an RNN's cells by factors; the test programs of the API look for this C++ function.
#[doc(hidden)]
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name of a C++ function as linkers know it")]
pub extern "C" fn _Z35dnnl_primitive_attr_set_rnn_tparamsP19dnnl_primitive_attrblPKff(
    mut attr: Mut<Attr>,
    mode: u8,
    gates: Dim,
    scales: In<f32>,
    cell_scale: f32,
) -> Status {
    status(|| {
        let linear = match mode {
            0 => None,
            _ => {
                let scales = scale_list(&scales, gates)?.iter().copied().map(Float).collect();
                Some(RnnLinear { scales, cell: Float(cell_scale) })
            }
        };
        attr.get_mut()?.attr.set_rnn_linear(linear);
        Ok(())
    })
}

fn scale_list(scales: &In<f32>, count: Dim) -> Result<&[f32]> {
    let count = usize::try_from(count).ok().filter(|&count| count > 0);
    scales.slice(count.ok_or_else(|| Error::invalid("no scales"))?)
}
