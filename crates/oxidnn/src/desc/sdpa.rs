//! Attention: `softmax(queries · keys · scale + mask) · values`, for every query a mean of the values.
//!
//! Keys are the second factor of a matrix product as they stand: a column for each. In memory a key's channels may well be
//! neighbours; that is a matter of strides.

use super::arg;
use super::attr::Attr;
use super::check;
use super::float::Float;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::{Accepted, QuantSupport};
use super::types::{DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// What the products of queries and keys are multiplied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionScale {
    /// A number.
    Number(Float),
    /// The one element of the argument [`arg::SCALE`], or its inverse.
    Tensor {
        /// How it is stored.
        data_type: DataType,
        /// Whether products are divided by it.
        divides: bool,
        /// Whether it is a host scalar.
        on_host: bool,
    },
}

/// Which keys a query sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::large_enum_variant, reason = "an operation has one, and matching is easier without boxes")]
pub enum AttentionMask {
    /// All of them.
    None,
    /// Numbers that are added to the products; they may be broadcast.
    Explicit(MemoryDesc),
    /// Those up to its own position, counted from the first.
    CausalTopLeft,
    /// Those up to its own position, counted from the last.
    CausalBottomRight,
}

/// What a query that sees no key gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unseeing {
    /// Zeros, as by `softmax_accurate_inf_as_zero`.
    #[default]
    Zeros,
    /// NaN, which is what dividing by a sum of nothing gives.
    Nan,
}

/// Attention over tensors of heads, tokens and channels.
///
/// Dimensions before the last two may be fewer for keys and values than for queries, by a divisor: neighbouring heads share
/// them. Keys and values may be integers with scales and zero points.
///
/// ```
/// use oxidnn::desc::{AttentionMask, AttentionScale, DataType, Float, MemoryDesc, Sdpa};
/// let md = |heads, tokens| MemoryDesc::with_strides(&[1, heads, tokens, 64], DataType::F32, None).unwrap();
/// let keys = md(2, 30).permute_axes(&[0, 1, 3, 2]).unwrap();
/// let scale = AttentionScale::Number(Float(0.125));
/// assert!(Sdpa::new(&md(8, 10), &keys, &md(2, 30), &md(8, 10), scale, AttentionMask::None).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sdpa {
    /// `…, tokens, channels`.
    pub queries: MemoryDesc,
    /// `…, channels, other tokens`.
    pub keys: MemoryDesc,
    /// `…, other tokens, other channels`.
    pub values: MemoryDesc,
    /// `…, tokens, other channels`.
    pub dst: MemoryDesc,
    /// The scale.
    pub scale: AttentionScale,
    /// The mask.
    pub mask: AttentionMask,
    /// What a query that sees no key gets.
    pub unseeing: Unseeing,
}

impl Sdpa {
    /// The execution argument of the queries.
    pub const QUERIES: i32 = arg::SRC_0;
    /// The execution argument of the keys.
    pub const KEYS: i32 = arg::SRC_1;
    /// The execution argument of the values.
    pub const VALUES: i32 = arg::SRC_2;
    /// The execution argument of an explicit mask.
    pub const MASK: i32 = arg::SHIFT;

    /// Attention. All layouts but the destination's must be given.
    pub fn new(
        queries: &MemoryDesc,
        keys: &MemoryDesc,
        values: &MemoryDesc,
        dst: &MemoryDesc,
        scale: AttentionScale,
        mask: AttentionMask,
    ) -> Result<Sdpa> {
        use DataType::*;
        let rank = queries.ndims();
        ensure!(rank >= 2, "queries of {rank} dimensions");
        for (name, md) in [("queries", queries), ("keys", keys), ("values", values), ("dst", dst)] {
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            ensure!(md.ndims() == rank, "{name} of {} dimensions, queries of {rank}", md.ndims());
            let quantized = matches!(name, "keys" | "values") && matches!(md.data_type(), S8 | U8 | S4 | U4);
            let ok = quantized || matches!(md.data_type(), F32 | F16 | Bf16);
            supported!(ok, "attention with {name} of type {}", md.data_type());
        }
        for (name, md) in [("queries", queries), ("keys", keys), ("values", values)] {
            check::has_layout(name, md)?;
        }
        supported!(dst.is_any() || !dst.has_padding(), "attention with padding in its destination");
        for d in 0..rank - 2 {
            let (q, k) = (queries.dims()[d], keys.dims()[d]);
            ensure!(k == q || (k > 0 && q % k == 0), "{q} heads of queries share {k} of keys");
            ensure!(values.dims()[d] == k && dst.dims()[d] == q, "dimension {d} differs");
        }
        let [tokens, channels] = [rank - 2, rank - 1];
        ensure!(keys.dims()[tokens] == queries.dims()[channels], "keys have other channels than queries");
        ensure!(values.dims()[tokens] == keys.dims()[channels], "keys have other tokens than values");
        let fits = dst.dims()[tokens] == queries.dims()[tokens] && dst.dims()[channels] == values.dims()[channels];
        ensure!(fits, "the destination is {}", dst.dims());
        if let AttentionMask::Explicit(mask) = &mask {
            check::is_dense("the mask", mask)?;
            check::is_known("the mask", mask)?;
            check::has_layout("the mask", mask)?;
            let of = |d: usize| if d == channels { keys.dims()[channels] } else { queries.dims()[d] };
            let fits = mask.ndims() == rank && (0..rank).all(|d| mask.dims()[d] == 1 || mask.dims()[d] == of(d));
            ensure!(fits, "a mask of {}", mask.dims());
            supported!(mask.data_type().is_float(), "a mask of type {}", mask.data_type());
        }
        let [queries, keys, values, dst] = [queries, keys, values, dst].map(Clone::clone);
        Ok(Sdpa { queries, keys, values, dst, scale, mask, unseeing: Unseeing::default() })
    }

    /// The same with another answer to queries that see no key.
    pub fn with_unseeing(self, unseeing: Unseeing) -> Sdpa {
        Sdpa { unseeing, ..self }
    }
}

impl Operation for Sdpa {
    /// The API has no number for it.
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Undef
    }

    fn prop_kind(&self) -> PropKind {
        PropKind::ForwardInference
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let mut tensors = vec![
            ArgDesc::input(Sdpa::QUERIES, &self.queries),
            ArgDesc::input(Sdpa::KEYS, &self.keys),
            ArgDesc::input(Sdpa::VALUES, &self.values),
        ];
        if let AttentionMask::Explicit(mask) = &self.mask {
            tensors.push(ArgDesc::input(Sdpa::MASK, mask));
        }
        if let AttentionScale::Tensor { data_type, on_host, .. } = self.scale {
            let md = match on_host {
                true => MemoryDesc::host_scalar(data_type),
                false => MemoryDesc::with_strides(&[1], data_type, None),
            };
            tensors.extend(md.ok().map(|md| ArgDesc::input(arg::SCALE, &md)));
        }
        tensors.push(ArgDesc::output(arg::DST, &self.dst));
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        &self.dst
    }

    fn resolve(&mut self) -> Result<()> {
        self.dst = self.dst.resolve_plain()?;
        Ok(())
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let quant = QuantSupport { args: &[Sdpa::KEYS, Sdpa::VALUES], types: true, groups: true };
        Accepted { scales: quant, zero_points: quant, ..Accepted::default() }.check(attr, &self.dst)
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        vec![("query", &self.queries), ("key", &self.keys), ("val", &self.values), ("dst", &self.dst)]
    }

    fn verbose_parameters(&self) -> String {
        let mask = match &self.mask {
            AttentionMask::None => "none",
            AttentionMask::Explicit(_) => "explicit",
            AttentionMask::CausalTopLeft => "causal_top_left",
            AttentionMask::CausalBottomRight => "causal_bottom_right",
        };
        format!("alg:sdpa mask:{mask}")
    }

    fn verbose_shape(&self) -> String {
        format!("{}:{}:{}", self.queries.dims(), self.keys.dims(), self.values.dims())
    }
}
