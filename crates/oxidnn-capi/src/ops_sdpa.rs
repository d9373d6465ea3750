//! Attention: creating the descriptors of the primitive that computes it. oneDNN has no public function for this.

use std::ffi::c_int;

use oxidnn::desc::{self, AttentionMask, AttentionScale, Float, Sdpa, Unseeing};
use oxidnn::{Error, Result};

use crate::attr::{Attr, attr_or_default};
use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, Dim, Enum, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::primitive_desc::{Engines, PrimitiveDesc};
use crate::vocabulary::AlgKind;

/// The descriptors of attention as C hands them in.
struct Tensors<'a> {
    query: &'a Const<MemoryDesc>,
    key: &'a Const<MemoryDesc>,
    value: &'a Const<MemoryDesc>,
    dst: &'a Const<MemoryDesc>,
    mask: &'a Opt<Const<MemoryDesc>>,
    scale: &'a Opt<Const<MemoryDesc>>,
}

impl Tensors<'_> {
    fn op(&self, invert_scale: bool, mask_type: c_int, unseeing: Unseeing) -> Result<Sdpa> {
        let [query, key, value, dst] = [self.query, self.key, self.value, self.dst].map(|md| md.get()?.desc());
        let given = |md: &Opt<Const<MemoryDesc>>| -> Result<Option<desc::MemoryDesc>> {
            Ok(desc_if_given(md)?.filter(|md| !md.is_zero()))
        };
        let scale = match given(self.scale)? {
            None => AttentionScale::Number(Float(1.0)),
            Some(md) => AttentionScale::Tensor {
                data_type: md.data_type(),
                divides: invert_scale,
                on_host: md.is_host_scalar(),
            },
        };
        let mask = match (mask_type, given(self.mask)?) {
            (0, _) => AttentionMask::None,
            (1, Some(md)) => AttentionMask::Explicit(md),
            (1, None) => return Err(Error::invalid("a mask of numbers without its descriptor")),
            (2, _) => AttentionMask::CausalTopLeft,
            (3, _) => AttentionMask::CausalBottomRight,
            (other, _) => return Err(Error::invalid(format!("no mask of type {other}"))),
        };
        Ok(Sdpa::new(&query?, &key?, &value?, &dst?, scale, mask)?.with_unseeing(unseeing))
    }
}

fn give(
    primitive_desc: &Out<Mut<PrimitiveDesc>>,
    engine: &Mut<Engine>,
    attr: &desc::Attr,
    op: impl FnOnce() -> Result<Sdpa>,
) -> Result<()> {
    primitive_desc.check()?;
    let engine = engine.share()?;
    let desc = oxidnn::PrimitiveDesc::new(engine.engine(), op()?, attr)?;
    primitive_desc.give_new(PrimitiveDesc::new(desc, Engines { src: engine.clone(), dst: engine }))
}

/// Creates a primitive descriptor of attention, `softmax(query * key * scale + mask) * value`. All have the dimensions
/// of batches and heads, and then: the query tokens and channels, the key channels and tokens, the value tokens and
/// channels. Keys and values may have fewer heads, by a divisor; neighbouring heads share them. They may be integers, with
/// scales and zero points of the arguments `OXIDNN_ARG_KEYS` and `OXIDNN_ARG_VALUES`. Products are multiplied by the one
/// element of `scale_desc`, a tensor or a host scalar, or divided if `invert_scale` is not zero; null is no scale.
/// `mask_type` is an `oxidnn_attention_mask_t`. A query that sees no key gives zeros if `inf_as_zero` is not zero, else NaN.
#[unsafe(no_mangle)]
pub extern "C" fn oxidnn_sdpa_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    query_desc: Const<MemoryDesc>,
    key_desc: Const<MemoryDesc>,
    value_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    mask_desc: Opt<Const<MemoryDesc>>,
    scale_desc: Opt<Const<MemoryDesc>>,
    invert_scale: c_int,
    mask_type: c_int,
    inf_as_zero: c_int,
    attr: Opt<Const<Attr>>,
) -> Status {
    status(|| {
        let tensors = Tensors {
            query: &query_desc,
            key: &key_desc,
            value: &value_desc,
            dst: &dst_desc,
            mask: &mask_desc,
            scale: &scale_desc,
        };
        let unseeing = if inf_as_zero == 0 { Unseeing::Nan } else { Unseeing::Zeros };
        give(&primitive_desc, &engine, &attr_or_default(&attr)?, || tensors.op(invert_scale != 0, mask_type, unseeing))
    })
}

/// The same as oneDNN's test programs look for it, under the name of a C++ function.
#[doc(hidden)]
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name of a C++ function as linkers know it")]
pub extern "C" fn _Z26sdpa_primitive_desc_createPP19dnnl_primitive_descP11dnnl_enginePK16dnnl_memory_descS6_S6_S6_S6_S6_bli15dnnl_alg_kind_t16dnnl_prop_kind_tPK19dnnl_primitive_attrSB_SB_S6_(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    query_desc: Const<MemoryDesc>,
    key_desc: Const<MemoryDesc>,
    value_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    mask_desc: Opt<Const<MemoryDesc>>,
    scale_desc: Opt<Const<MemoryDesc>>,
    invert_scale: u8,
    kv_head_number: Dim,
    mask_type: c_int,
    softmax_alg: Enum<AlgKind>,
    _prop_kind: c_int,
    attr: Opt<Const<Attr>>,
    kq_attr: Opt<Const<Attr>>,
    vs_attr: Opt<Const<Attr>>,
    stats_desc: Opt<Const<MemoryDesc>>,
) -> Status {
    status(|| {
        let tensors = Tensors {
            query: &query_desc,
            key: &key_desc,
            value: &value_desc,
            dst: &dst_desc,
            mask: &mask_desc,
            scale: &scale_desc,
        };
        if desc_if_given(&stats_desc)?.is_some_and(|md| !md.is_zero()) {
            return Err(Error::unimplemented("attention that gives its statistics"));
        }
        // These programs mean no mask where they say that there is one of numbers and give no descriptor.
        let has_mask = desc_if_given(&mask_desc)?.is_some_and(|md| !md.is_zero());
        let mask_type = if mask_type == 1 && !has_mask { 0 } else { mask_type };
        let mut all = attr_or_default(&attr)?;
        for (number, of) in [(Sdpa::KEYS, kq_attr), (Sdpa::VALUES, vs_attr)] {
            let of = attr_or_default(&of)?;
            if let Some(scales) = of.scales(desc::arg::WEIGHTS) {
                all = all.with_scales(number, *scales)?;
            }
            if let Some(zero_points) = of.zero_points(desc::arg::WEIGHTS) {
                all = all.with_zero_points(number, *zero_points)?;
            }
        }
        let unseeing = match softmax_alg.get()? {
            AlgKind::SoftmaxAccurateInfAsZero => Unseeing::Zeros,
            AlgKind::SoftmaxAccurate => Unseeing::Nan,
            other => return Err(Error::invalid(format!("attention with {other}"))),
        };
        give(&primitive_desc, &engine, &all, || {
            let op = tensors.op(invert_scale != 0, mask_type, unseeing)?;
            let heads = op.keys.dims().iter().rev().nth(2);
            match heads.is_none_or(|&heads| heads == kv_head_number) {
                true => Ok(op),
                false => Err(Error::invalid(format!("{kv_head_number} heads of keys, whose descriptor has others"))),
            }
        })
    })
}
