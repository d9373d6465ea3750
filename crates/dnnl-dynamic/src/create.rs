//! Primitive descriptors, one safe call per primitive and direction.
//!
//! Descriptors are optional where the C API takes a null pointer: no bias, no statistics, a layout that follows from the others.

use crate::api::{Api, ConstHandle};
use crate::dtype::DataType;
use crate::handle::{Attr, BorrowedDesc, Device, Failure, PrimitiveDesc};
use std::ffi::{c_int, c_uint};
use std::ptr;

/// A memory descriptor, or none.
pub type Desc<'d> = Option<BorrowedDesc<'d>>;

/// How a window moves over spatial dimensions, with one value for each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The window's extents; unused where they follow from the weights.
    pub kernel: Vec<i64>,
    /// Steps.
    pub strides: Vec<i64>,
    /// Elements left out between taps.
    pub dilates: Vec<i64>,
    /// Padding before the first element.
    pub padding_l: Vec<i64>,
    /// Padding behind the last element.
    pub padding_r: Vec<i64>,
}

/// Makes primitive descriptors on one engine with one set of attributes.
pub struct Maker<'m, 'a> {
    /// The library.
    pub api: &'a Api,
    /// The engine.
    pub device: &'m Device<'a>,
    /// The attributes.
    pub attr: &'m Attr<'a>,
    /// The forward primitive that a backward one belongs to.
    pub hint: Option<&'m PrimitiveDesc<'a>>,
}

/// The result of a creation.
pub type Made<'a> = Result<PrimitiveDesc<'a>, Failure>;

pub(crate) fn raw(desc: Desc<'_>) -> ConstHandle {
    desc.map_or(ptr::null(), |desc| desc.handle())
}

/// The C API reads as many values as there are spatial dimensions, of which there are at most ten.
fn padded(values: &[i64]) -> [i64; 12] {
    let mut array = [0; 12];
    array[..values.len()].copy_from_slice(values);
    array
}

macro_rules! make {
    ($maker:ident, $function:ident, $($argument:expr),+) => {
        make!($maker, by $maker.api.$function, $($argument),+)
    };
    ($maker:ident, by $function:expr, $($argument:expr),+) => {
        PrimitiveDesc::create($maker.api, "primitive descriptor", |out| {
            // SAFETY: engine, attributes, hint and descriptors are borrowed and so alive, arrays are at least as long as the call reads.
            unsafe { ($function)(out, $maker.device.engine.handle(), $($argument),+) }
        })
    };
}

pub(crate) use make;

impl<'a> Maker<'_, 'a> {
    pub(crate) fn attr(&self) -> ConstHandle {
        self.attr.handle().cast_const()
    }

    pub(crate) fn hint(&self) -> ConstHandle {
        self.hint.map_or(ptr::null(), |pd| pd.handle().cast_const())
    }

    /// A matrix product.
    pub fn matmul(&self, src: Desc, weights: Desc, bias: Desc, dst: Desc) -> Made<'a> {
        make!(self, matmul_primitive_desc_create, raw(src), raw(weights), raw(bias), raw(dst), self.attr())
    }

    /// Attention, in a library that has it.
    pub fn attention(
        &self,
        [query, key, value, dst]: [Desc; 4],
        mask: Desc,
        scale: Desc,
        mask_type: c_int,
    ) -> Made<'a> {
        let missing = || Failure { stage: "attention".to_string(), status: 3 };
        let create = self.api.sdpa_primitive_desc_create.ok_or_else(missing)?;
        let [query, key, value, dst, mask, scale] = [query, key, value, dst, mask, scale].map(raw);
        PrimitiveDesc::create(self.api, "primitive descriptor", |out| {
            let engine = self.device.engine.handle();
            // SAFETY: engine, attributes and descriptors are borrowed and so alive.
            unsafe { create(out, engine, query, key, value, dst, mask, scale, 0, mask_type, 1, self.attr()) }
        })
    }

    /// An inner product.
    pub fn inner_product_forward(&self, prop: c_int, src: Desc, weights: Desc, bias: Desc, dst: Desc) -> Made<'a> {
        let (src, weights, bias, dst) = (raw(src), raw(weights), raw(bias), raw(dst));
        make!(self, inner_product_forward_primitive_desc_create, prop, src, weights, bias, dst, self.attr())
    }

    /// An inner product's gradient by its source.
    pub fn inner_product_backward_data(&self, diff_src: Desc, weights: Desc, diff_dst: Desc) -> Made<'a> {
        let (diff_src, weights, diff_dst) = (raw(diff_src), raw(weights), raw(diff_dst));
        let (hint, attr) = (self.hint(), self.attr());
        make!(self, inner_product_backward_data_primitive_desc_create, diff_src, weights, diff_dst, hint, attr)
    }

    /// An inner product's gradient by its weights.
    pub fn inner_product_backward_weights(
        &self,
        src: Desc,
        diff_weights: Desc,
        diff_bias: Desc,
        diff_dst: Desc,
    ) -> Made<'a> {
        let (src, weights, bias, dst) = (raw(src), raw(diff_weights), raw(diff_bias), raw(diff_dst));
        let (hint, attr) = (self.hint(), self.attr());
        make!(self, inner_product_backward_weights_primitive_desc_create, src, weights, bias, dst, hint, attr)
    }

    /// A convolution, or a deconvolution.
    #[allow(clippy::too_many_arguments)]
    pub fn convolution_forward(
        &self,
        transposed: bool,
        prop: c_int,
        algorithm: c_int,
        src: Desc,
        weights: Desc,
        bias: Desc,
        dst: Desc,
        window: &Window,
    ) -> Made<'a> {
        let (src, wei, bias, dst, attr) = (raw(src), raw(weights), raw(bias), raw(dst), self.attr());
        let arrays = arrays(window);
        let [s, d, l, r] = arrays.each_ref().map(|array| array.as_ptr());
        let create = if transposed {
            self.api.deconvolution_forward_primitive_desc_create
        } else {
            self.api.convolution_forward_primitive_desc_create
        };
        make!(self, by create, prop, algorithm, src, wei, bias, dst, s, d, l, r, attr)
    }

    /// A convolution's or deconvolution's gradient by its source.
    pub fn convolution_backward_data(
        &self,
        transposed: bool,
        algorithm: c_int,
        diff_src: Desc,
        weights: Desc,
        diff_dst: Desc,
        window: &Window,
    ) -> Made<'a> {
        let (src, wei, dst, hint, attr) = (raw(diff_src), raw(weights), raw(diff_dst), self.hint(), self.attr());
        let (alg, arrays) = (algorithm, arrays(window));
        let [s, d, l, r] = arrays.each_ref().map(|array| array.as_ptr());
        let create = if transposed {
            self.api.deconvolution_backward_data_primitive_desc_create
        } else {
            self.api.convolution_backward_data_primitive_desc_create
        };
        make!(self, by create, alg, src, wei, dst, s, d, l, r, hint, attr)
    }

    /// A convolution's or deconvolution's gradient by its weights.
    #[allow(clippy::too_many_arguments)]
    pub fn convolution_backward_weights(
        &self,
        transposed: bool,
        algorithm: c_int,
        src: Desc,
        diff_weights: Desc,
        diff_bias: Desc,
        diff_dst: Desc,
        window: &Window,
    ) -> Made<'a> {
        let (src, wei, bias, dst) = (raw(src), raw(diff_weights), raw(diff_bias), raw(diff_dst));
        let (alg, arrays, hint, attr) = (algorithm, arrays(window), self.hint(), self.attr());
        let [s, d, l, r] = arrays.each_ref().map(|array| array.as_ptr());
        let create = if transposed {
            self.api.deconvolution_backward_weights_primitive_desc_create
        } else {
            self.api.convolution_backward_weights_primitive_desc_create
        };
        make!(self, by create, alg, src, wei, bias, dst, s, d, l, r, hint, attr)
    }

    /// A function of each element.
    pub fn eltwise_forward(
        &self,
        prop: c_int,
        algorithm: c_int,
        src: Desc,
        dst: Desc,
        alpha: f32,
        beta: f32,
    ) -> Made<'a> {
        let (src, dst, attr) = (raw(src), raw(dst), self.attr());
        make!(self, eltwise_forward_primitive_desc_create, prop, algorithm, src, dst, alpha, beta, attr)
    }

    /// Its gradient.
    pub fn eltwise_backward(
        &self,
        algorithm: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        data: Desc,
        alpha: f32,
        beta: f32,
    ) -> Made<'a> {
        let (src, dst, data, hint, attr) = (raw(diff_src), raw(diff_dst), raw(data), self.hint(), self.attr());
        make!(self, eltwise_backward_primitive_desc_create, algorithm, src, dst, data, alpha, beta, hint, attr)
    }

    /// A function of two elements, or of three.
    pub fn binary(&self, algorithm: c_int, src0: Desc, src1: Desc, src2: Desc, dst: Desc) -> Made<'a> {
        let (src0, src1, src2, dst) = (raw(src0), raw(src1), raw(src2), raw(dst));
        make!(self, binary_primitive_desc_create_v2, algorithm, src0, src1, src2, dst, self.attr())
    }

    /// A weighted sum of tensors.
    pub fn sum(&self, srcs: &[BorrowedDesc<'_>], scales: &[f32], dst: Desc) -> Made<'a> {
        assert_eq!(srcs.len(), scales.len(), "every source of a sum has a scale");
        let srcs: Vec<ConstHandle> = srcs.iter().map(|desc| desc.handle()).collect();
        let (dst, n, attr) = (raw(dst), srcs.len() as c_int, self.attr());
        make!(self, sum_primitive_desc_create, dst, n, scales.as_ptr(), srcs.as_ptr(), attr)
    }

    /// Tensors one behind the other.
    pub fn concat(&self, srcs: &[BorrowedDesc<'_>], axis: c_int, dst: Desc) -> Made<'a> {
        let srcs: Vec<ConstHandle> = srcs.iter().map(|desc| desc.handle()).collect();
        let (dst, n, attr) = (raw(dst), srcs.len() as c_int, self.attr());
        make!(self, concat_primitive_desc_create, dst, n, axis, srcs.as_ptr(), attr)
    }

    /// A copy into another arrangement or type.
    pub fn reorder(&self, src: BorrowedDesc<'_>, dst: BorrowedDesc<'_>) -> Made<'a> {
        self.reorder_to(self.device, src, dst)
    }

    /// The same, from the maker's device to another one.
    pub fn reorder_to(&self, device: &Device<'a>, src: BorrowedDesc<'_>, dst: BorrowedDesc<'_>) -> Made<'a> {
        let (from, to, attr) = (self.device.engine.handle(), device.engine.handle(), self.attr());
        PrimitiveDesc::create(self.api, "primitive descriptor", |out| {
            // SAFETY: engines, attributes and descriptors are borrowed and so alive.
            unsafe { (self.api.reorder_primitive_desc_create)(out, src.handle(), from, dst.handle(), to, attr) }
        })
    }

    /// Softmax or its logarithm.
    pub fn softmax_forward(&self, prop: c_int, algorithm: c_int, src: Desc, dst: Desc, axis: c_int) -> Made<'a> {
        let (src, dst, attr) = (raw(src), raw(dst), self.attr());
        make!(self, softmax_forward_primitive_desc_create, prop, algorithm, src, dst, axis, attr)
    }

    /// Its gradient.
    pub fn softmax_backward(
        &self,
        algorithm: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        dst: Desc,
        axis: c_int,
    ) -> Made<'a> {
        let (diff_src, diff_dst, dst) = (raw(diff_src), raw(diff_dst), raw(dst));
        let (hint, attr) = (self.hint(), self.attr());
        make!(self, softmax_backward_primitive_desc_create, algorithm, diff_src, diff_dst, dst, axis, hint, attr)
    }

    /// Batch normalization.
    pub fn batch_normalization_forward(
        &self,
        prop: c_int,
        src: Desc,
        dst: Desc,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (src, dst, attr) = (raw(src), raw(dst), self.attr());
        make!(self, batch_normalization_forward_primitive_desc_create, prop, src, dst, epsilon, flags, attr)
    }

    /// Its gradient.
    pub fn batch_normalization_backward(
        &self,
        prop: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        src: Desc,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (a, b, src, e, hint, attr) = (raw(diff_src), raw(diff_dst), raw(src), epsilon, self.hint(), self.attr());
        make!(self, batch_normalization_backward_primitive_desc_create, prop, a, b, src, e, flags, hint, attr)
    }

    /// Group normalization.
    pub fn group_normalization_forward(
        &self,
        prop: c_int,
        src: Desc,
        dst: Desc,
        groups: i64,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (src, dst, attr) = (raw(src), raw(dst), self.attr());
        make!(self, group_normalization_forward_primitive_desc_create, prop, src, dst, groups, epsilon, flags, attr)
    }

    /// Its gradient.
    #[allow(clippy::too_many_arguments)]
    pub fn group_normalization_backward(
        &self,
        prop: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        src: Desc,
        groups: i64,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (a, b, src, e, hint, attr) = (raw(diff_src), raw(diff_dst), raw(src), epsilon, self.hint(), self.attr());
        make!(self, group_normalization_backward_primitive_desc_create, prop, a, b, src, groups, e, flags, hint, attr)
    }

    /// Layer normalization.
    #[allow(clippy::too_many_arguments)]
    pub fn layer_normalization_forward(
        &self,
        prop: c_int,
        src: Desc,
        dst: Desc,
        stat: Desc,
        scale_dt: DataType,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (src, dst, stat, dt, e, attr) = (raw(src), raw(dst), raw(stat), scale_dt as c_int, epsilon, self.attr());
        make!(self, layer_normalization_forward_primitive_desc_create_v2, prop, src, dst, stat, dt, e, flags, attr)
    }

    /// Its gradient.
    #[allow(clippy::too_many_arguments)]
    pub fn layer_normalization_backward(
        &self,
        prop: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        src: Desc,
        stat: Desc,
        scale_dt: DataType,
        epsilon: f32,
        flags: c_uint,
    ) -> Made<'a> {
        let (a, b, src, stat, dt, e) = (raw(diff_src), raw(diff_dst), raw(src), raw(stat), scale_dt as c_int, epsilon);
        let (f, hint, attr) = (flags, self.hint(), self.attr());
        make!(
            self,
            layer_normalization_backward_primitive_desc_create_v2,
            prop,
            a,
            b,
            src,
            stat,
            dt,
            dt,
            e,
            f,
            hint,
            attr
        )
    }

    /// Pooling.
    pub fn pooling_forward(&self, prop: c_int, algorithm: c_int, src: Desc, dst: Desc, window: &Window) -> Made<'a> {
        let (src, dst, alg, attr, arrays) = (raw(src), raw(dst), algorithm, self.attr(), arrays(window));
        let [s, d, l, r] = arrays.each_ref().map(|array| array.as_ptr());
        let kernel = padded(&window.kernel);
        let k = kernel.as_ptr();
        make!(self, pooling_forward_primitive_desc_create, prop, alg, src, dst, s, k, d, l, r, attr)
    }

    /// Its gradient.
    pub fn pooling_backward(&self, algorithm: c_int, diff_src: Desc, diff_dst: Desc, window: &Window) -> Made<'a> {
        let (src, dst, alg, arrays) = (raw(diff_src), raw(diff_dst), algorithm, arrays(window));
        let [s, d, l, r] = arrays.each_ref().map(|array| array.as_ptr());
        let kernel = padded(&window.kernel);
        let (k, hint, attr) = (kernel.as_ptr(), self.hint(), self.attr());
        make!(self, pooling_backward_primitive_desc_create, alg, src, dst, s, k, d, l, r, hint, attr)
    }

    /// Resampling to the destination's extents.
    pub fn resampling_forward(&self, prop: c_int, algorithm: c_int, src: Desc, dst: Desc) -> Made<'a> {
        let (src, dst, factors, attr) = (raw(src), raw(dst), ptr::null(), self.attr());
        make!(self, resampling_forward_primitive_desc_create, prop, algorithm, factors, src, dst, attr)
    }

    /// Its gradient.
    pub fn resampling_backward(&self, algorithm: c_int, diff_src: Desc, diff_dst: Desc) -> Made<'a> {
        let (src, dst, factors, hint, attr) = (raw(diff_src), raw(diff_dst), ptr::null(), self.hint(), self.attr());
        make!(self, resampling_backward_primitive_desc_create, algorithm, factors, src, dst, hint, attr)
    }

    /// A reduction to the destination's dimensions.
    pub fn reduction(&self, algorithm: c_int, src: Desc, dst: Desc, p: f32, eps: f32) -> Made<'a> {
        make!(self, reduction_primitive_desc_create, algorithm, raw(src), raw(dst), p, eps, self.attr())
    }

    /// A shuffle along an axis.
    pub fn shuffle_forward(&self, prop: c_int, src: Desc, dst: Desc, axis: c_int, group: i64) -> Made<'a> {
        make!(self, shuffle_forward_primitive_desc_create, prop, raw(src), raw(dst), axis, group, self.attr())
    }

    /// Its gradient.
    pub fn shuffle_backward(&self, diff_src: Desc, diff_dst: Desc, axis: c_int, group: i64) -> Made<'a> {
        let (src, dst, hint, attr) = (raw(diff_src), raw(diff_dst), self.hint(), self.attr());
        make!(self, shuffle_backward_primitive_desc_create, src, dst, axis, group, hint, attr)
    }

    /// A leaky rectifier with trained slopes.
    pub fn prelu_forward(&self, prop: c_int, src: Desc, weights: Desc, dst: Desc) -> Made<'a> {
        make!(self, prelu_forward_primitive_desc_create, prop, raw(src), raw(weights), raw(dst), self.attr())
    }

    /// Its gradients.
    pub fn prelu_backward(
        &self,
        src: Desc,
        weights: Desc,
        diff_src: Desc,
        diff_weights: Desc,
        diff_dst: Desc,
    ) -> Made<'a> {
        let (src, weights, diff_src) = (raw(src), raw(weights), raw(diff_src));
        let (diff_weights, diff_dst, hint, attr) = (raw(diff_weights), raw(diff_dst), self.hint(), self.attr());
        make!(self, prelu_backward_primitive_desc_create, src, weights, diff_src, diff_weights, diff_dst, hint, attr)
    }

    /// Local response normalization; `shape` is the window's size, alpha, beta and k.
    pub fn lrn_forward(
        &self,
        prop: c_int,
        algorithm: c_int,
        src: Desc,
        dst: Desc,
        shape: (i64, f32, f32, f32),
    ) -> Made<'a> {
        let ((size, alpha, beta, k), src, dst, attr) = (shape, raw(src), raw(dst), self.attr());
        make!(self, lrn_forward_primitive_desc_create, prop, algorithm, src, dst, size, alpha, beta, k, attr)
    }

    /// Its gradient.
    pub fn lrn_backward(
        &self,
        algorithm: c_int,
        diff_src: Desc,
        diff_dst: Desc,
        src: Desc,
        shape: (i64, f32, f32, f32),
    ) -> Made<'a> {
        let ((size, alpha, beta, k), alg, hint, attr) = (shape, algorithm, self.hint(), self.attr());
        let (a, b, src) = (raw(diff_src), raw(diff_dst), raw(src));
        make!(self, lrn_backward_primitive_desc_create, alg, a, b, src, size, alpha, beta, k, hint, attr)
    }
}

/// Strides, dilations and paddings as the C API reads them.
fn arrays(window: &Window) -> [[i64; 12]; 4] {
    [&window.strides, &window.dilates, &window.padding_l, &window.padding_r].map(|values| padded(values))
}
