//! What attributes add to an operation: scales, zero points, dropout, post-ops, rounding. Written once, for all of them.

use std::ops::Range;

use super::activation::Activation;
use super::view::View;
use crate::desc::{AlgKind, Attr, DataType, MemoryDesc, PostOp, Quant, RoundingMode, arg};
use crate::program::{Binding, Builder, Expr, Store, Ty};
use crate::{Error, Result};

/// A binary algorithm on two values; comparisons give one or zero.
pub fn binary<'b>(alg: AlgKind, a: Expr<'b>, b: Expr<'b>) -> Result<Expr<'b>> {
    use AlgKind::*;
    let ty = a.ty();
    Ok(match alg {
        BinaryAdd => a + b,
        BinaryMul => a * b,
        BinaryMax => a.max(b),
        BinaryMin => a.min(b),
        BinaryDiv => a / b,
        BinarySub => a - b,
        BinaryGe => a.ge(b).to(ty),
        BinaryGt => a.gt(b).to(ty),
        BinaryLe => a.le(b).to(ty),
        BinaryLt => a.lt(b).to(ty),
        BinaryEq => a.equals(b).to(ty),
        BinaryNe => a.differs(b).to(ty),
        _ => return Err(Error::invalid(format!("{alg} is not a binary algorithm of two inputs"))),
    })
}

/// Loads an operand of a binary post-op, by its name, argument, descriptor and the type to load it as.
pub type LoadOperand<'a, 'b> = dyn Fn(&'static str, i32, &MemoryDesc, Ty) -> Result<Expr<'b>> + 'a;

/// Attributes in the course of a lowering.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a, 'b> {
    /// Where expressions are made.
    pub b: &'b Builder,
    /// What the user set.
    pub attr: &'a Attr,
    /// The type values are computed in.
    pub ty: Ty,
}

impl<'b> Attributes<'_, 'b> {
    /// A factor of products, which the math mode may allow to be rounded.
    pub fn factor(&self, name: &'static str, arg: i32, md: &MemoryDesc) -> Result<View<'b>> {
        let view = View::new(self.b, name, arg, md)?;
        self.allow_rounding(&view);
        Ok(view)
    }

    /// Lets a factor be rounded if the math mode does.
    pub fn allow_rounding(&self, factor: &View<'b>) {
        if factor.md.data_type() == DataType::F32 && self.attr.fpmath().allows_bf16() {
            self.b.allow_bf16(factor.tensor);
        }
    }

    /// One quantization parameter of an argument, at a logical index of that argument.
    fn quant(
        &self,
        name: &'static str,
        arg: i32,
        quant: &Quant,
        of: &MemoryDesc,
        index: &[Expr<'b>],
        ty: Ty,
    ) -> Result<Expr<'b>> {
        if quant.on_host {
            return Ok(if ty.is_float() {
                self.b.host_scalar(arg, quant.data_type).to(ty)
            } else {
                self.b.host_param(arg, quant.data_type).to(ty)
            });
        }
        let view = View::new(self.b, name, arg, &quant.memory_desc(of)?)?;
        let ndims = of.ndims();
        let index: Vec<Expr<'b>> = index
            .iter()
            .enumerate()
            .map(|(d, &i)| match quant.group(d, ndims) {
                group if quant.mask >> d & 1 == 1 && group < of.dims()[d] => i / group,
                _ => self.b.index(0),
            })
            .collect();
        Ok(view.load(&index, ty))
    }

    /// The scale of an argument at a logical index of it, if it has one.
    pub fn scale(&self, arg: i32, of: &MemoryDesc, index: &[Expr<'b>]) -> Result<Option<Expr<'b>>> {
        let Some(quant) = self.attr.scales(arg) else { return Ok(None) };
        self.quant("scale", arg | arg::ATTR_SCALES, quant, of, index, self.ty).map(Some)
    }

    /// The zero point of an argument at a logical index of it, as a value of type `ty`, if it has one.
    pub fn zero_point(&self, arg: i32, of: &MemoryDesc, index: &[Expr<'b>], ty: Ty) -> Result<Option<Expr<'b>>> {
        let Some(quant) = self.attr.zero_points(arg) else { return Ok(None) };
        self.quant("zero_point", arg | arg::ATTR_ZERO_POINTS, quant, of, index, ty).map(Some)
    }

    /// Applies the post-ops to a value at a logical index of the destination.
    pub fn post_ops(&self, x: Expr<'b>, dst: &View<'b>, dst_arg: i32, index: &[Expr<'b>]) -> Result<Expr<'b>> {
        let all = 0..self.attr.post_ops().len();
        self.some_post_ops(all, x, dst, dst_arg, index, &|name, arg, md, ty| {
            Ok(View::new(self.b, name, arg, md)?.load(index, ty))
        })
    }

    /// Applies the post-ops at some positions of the chain. `operand` loads the other operand of a binary one.
    pub fn some_post_ops(
        &self,
        positions: Range<usize>,
        mut x: Expr<'b>,
        dst: &View<'b>,
        dst_arg: i32,
        index: &[Expr<'b>],
        operand: &LoadOperand<'_, 'b>,
    ) -> Result<Expr<'b>> {
        let chosen = self.attr.post_ops().iter().enumerate().skip(positions.start).take(positions.len());
        for (position, post_op) in chosen {
            let base = arg::post_op(position);
            x = match post_op {
                PostOp::Sum { scale, zero_point, data_type } => {
                    let before = match data_type {
                        DataType::Undef => dst.load(index, self.ty),
                        &other => dst.reinterpret("dst_before", dst_arg, other).load(index, self.ty),
                    };
                    let before = match zero_point {
                        0 => before,
                        &zero_point => before - f64::from(zero_point),
                    };
                    x + if scale.0 == 1.0 { before } else { before * self.b.scalar(scale.0).to(self.ty) }
                }
                PostOp::Eltwise { alg, alpha, beta } => {
                    Activation::new(self.b, *alg, alpha.0, beta.0, self.ty).forward(x)?
                }
                PostOp::Binary { alg, src1, src2 } => {
                    let other = operand("src1", base | arg::SRC_1, src1, self.ty)?;
                    match src2 {
                        Some(src2) => {
                            let condition = operand("src2", base | arg::SRC_2, src2, Ty::S32)?;
                            condition.differs(0).select(x, other)
                        }
                        None => binary(*alg, x, other)?,
                    }
                }
                PostOp::Prelu { mask } => {
                    let md = crate::desc::prelu_weights(*mask, &dst.md)?;
                    let slope = View::new(self.b, "slope", base | arg::WEIGHTS, &md)?.load(index, self.ty);
                    x.gt(0.0).select(x, x * slope)
                }
                PostOp::DepthwiseConv(_) => {
                    return Err(Error::unimplemented("a depthwise convolution post-op follows only convolutions"));
                }
            };
        }
        Ok(x)
    }

    /// Divides by the destination's scale and adds its zero point.
    pub fn quantize(&self, mut x: Expr<'b>, dst: &View<'b>, dst_arg: i32, index: &[Expr<'b>]) -> Result<Expr<'b>> {
        if self.attr.scales(dst_arg).is_some_and(Quant::is_dynamic) {
            return Err(Error::unimplemented("the destination's scales cannot be computed by this primitive"));
        }
        if let Some(scale) = self.scale(dst_arg, &dst.md, index)? {
            x = x / scale;
        }
        if let Some(zero_point) = self.zero_point(dst_arg, &dst.md, index, self.ty)? {
            x = x + zero_point;
        }
        Ok(x)
    }

    /// Dropout, post-ops and quantization, and the stores of the destination and the dropout mask.
    pub fn finish(&self, x: Expr<'b>, dst: &View<'b>, dst_arg: i32, index: &[Expr<'b>]) -> Result<Vec<Store>> {
        let mut stores = Vec::new();
        let x = self.dropout(x, dst, index, &mut stores)?;
        let x = self.post_ops(x, dst, dst_arg, index)?;
        let x = self.quantize(x, dst, dst_arg, index)?;
        let x = self.round(x, dst, dst_arg, index)?;
        stores.insert(0, dst.store(index, x));
        Ok(stores)
    }

    /// One word of a scalar argument that holds an s32 or s64.
    fn word(&self, name: &'static str, arg: i32, word: i64) -> Expr<'b> {
        let tensor = self.b.tensor(name, DataType::S32, Binding::Arg { arg, handle: 0 });
        self.b.load(tensor, self.b.index(word), Ty::S32)
    }

    /// Drops elements at random. The store of the mask, where there is one, goes to `stores`.
    pub fn dropout(
        &self,
        x: Expr<'b>,
        dst: &View<'b>,
        index: &[Expr<'b>],
        stores: &mut Vec<Store>,
    ) -> Result<Expr<'b>> {
        let Some(dropout) = self.attr.dropout() else { return Ok(x) };
        let position = dst.offset(index);
        let (seed, seed_high, probability) = if dropout.use_host_scalars {
            // A host seed is passed as one integer argument; its words are taken apart here.
            let seed = self.b.host_param(arg::ATTR_DROPOUT_SEED, dropout.seed);
            (
                seed.to(Ty::S32),
                (seed / (1 << 32)).to(Ty::S32),
                self.b.host_scalar(arg::ATTR_DROPOUT_PROBABILITY, DataType::F32),
            )
        } else {
            let low = self.word("seed", arg::ATTR_DROPOUT_SEED, 0);
            let high = if dropout.seed == DataType::S64 {
                self.word("seed", arg::ATTR_DROPOUT_SEED, 1)
            } else {
                (low >> 31) * -1
            };
            let tensor = self.b.tensor(
                "probability",
                DataType::F32,
                Binding::Arg { arg: arg::ATTR_DROPOUT_PROBABILITY, handle: 0 },
            );
            (low, high, self.b.load(tensor, self.b.index(0), Ty::F32))
        };
        let mut random = self.random_word(seed, position);
        if dropout.use_offset {
            let (low, high) = if dropout.use_host_scalars {
                let offset = self.b.host_param(arg::ATTR_DROPOUT_OFFSET, DataType::S64);
                (offset.to(Ty::S32), (offset / (1 << 32)).to(Ty::S32))
            } else {
                (self.word("offset", arg::ATTR_DROPOUT_OFFSET, 0), self.word("offset", arg::ATTR_DROPOUT_OFFSET, 1))
            };
            let group = (position / 4 * 4).to(Ty::S32);
            let above = (position / (1 << 31) / 2).to(Ty::S32);
            let lane = (position % 4).to(Ty::S32);
            let at_offset = self.b.philox([low, high, group, above], [seed, seed_high], lane);
            random = (low.equals(0) & high.equals(0)).select(random, at_offset);
        }
        let keep = keep(random, probability);
        if !dropout.mask.is_zero() {
            let mask = View::new(self.b, "mask", arg::ATTR_DROPOUT_MASK, &dropout.mask)?;
            stores.push(mask.store(index, keep.to(Ty::S32)));
        }
        let rest = -probability + 1.0;
        let one = probability.number(1.0);
        let factor = probability.equals(1.0).select(probability.number(0.0), one / rest).to(self.ty);
        Ok(keep.select(x * factor, 0.0))
    }

    /// Random bits at a position for a 32-bit seed: four neighbours share a word.
    fn random_word(&self, seed: Expr<'b>, position: Expr<'b>) -> Expr<'b> {
        let x = (position / 4 * 4).to(Ty::S32);
        self.b.philox([x, x + 1, x, x + 3], [seed, seed], self.b.constant(Ty::S32, 2.0))
    }

    /// Stochastic rounding: a random number below the last kept bit is added before the rest is cut off.
    pub fn round(&self, x: Expr<'b>, dst: &View<'b>, dst_arg: i32, index: &[Expr<'b>]) -> Result<Expr<'b>> {
        if self.attr.rounding(dst_arg) != RoundingMode::Stochastic {
            return Ok(x);
        }
        let data_type = dst.md.data_type();
        let Some(format) = SmallFloat::of(data_type) else { return Ok(x) };
        let seed = self.word("rounding_seed", arg::ATTR_ROUNDING_SEED, 0);
        let position = dst.offset(index);
        let (share, bits) = if data_type.bits() == 16 { (4, 8) } else { (2, 16) };
        let word = self.random_word(seed, position / share);
        let part = (word >> ((position % share).to(Ty::S32) * bits)) & ((1i64 << bits) - 1);
        let kept = -1i64 << (24 - format.digits);
        let x = x.to(Ty::F32);
        let cut = ((x.to_bits() + (part & !kept)) & kept).from_bits();
        let limited = cut.clamp(-format.max, format.max);
        let rounded = limited.abs().lt(format.min).select(limited * 0.0, limited);
        Ok(x.equals(x).select(rounded, x).to(self.ty))
    }
}

/// Whether a random word keeps an element: it is at least the dropped share of all words. Words compare as unsigned.
fn keep<'b>(random: Expr<'b>, probability: Expr<'b>) -> Expr<'b> {
    let p = probability.clamp(0.0, 1.0) * 65536.0;
    let high = p.floor();
    let low = ((p - high) * 65536.0).to(Ty::S32);
    let threshold = (high.to(Ty::S32) << 16) | low;
    let threshold = (high.equals(0.0) & low.equals(0)).select(threshold.number(1.0), threshold);
    let sign = f64::from(i32::MIN);
    p.lt(65536.0) & random.xor(sign).ge(threshold.xor(sign))
}

/// A float format narrower than f32, by its numbers.
struct SmallFloat {
    digits: i64,
    max: f64,
    min: f64,
}

impl SmallFloat {
    fn of(data_type: DataType) -> Option<SmallFloat> {
        let (digits, max, min) = match data_type {
            DataType::Bf16 => (8, 3.389_531_389_251_535_5e38, 1.175_494_350_822_287_5e-38),
            DataType::F16 => (11, 65504.0, 6.103_515_625e-5),
            DataType::F8E5m2 => (3, 57344.0, 6.103_515_625e-5),
            DataType::F8E4m3 => (4, 448.0, 0.015_625),
            _ => return None,
        };
        Some(SmallFloat { digits, max, min })
    }
}
