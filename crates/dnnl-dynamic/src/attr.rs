//! Primitive attributes and post-ops, as safe calls.

use crate::api::Api;
use crate::create::{Desc, raw};
use crate::dtype::DataType;
use crate::handle::{Attr, Failure, MemoryDesc, PostOps, check};
use std::ffi::c_int;
use std::ptr;

/// Scales or zero points of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantization {
    /// The argument they belong to.
    pub arg: i32,
    /// The dimensions along which they differ, one bit each.
    pub mask: i32,
    /// How many neighbours along the last dimensions share one; empty for none.
    pub groups: Vec<i64>,
    /// Their type.
    pub dt: DataType,
    /// Whether there is one value and it is in host memory.
    pub host: bool,
}

/// How a recurrent network of integers stands for numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentQuantization {
    /// Scale and shift of the data.
    pub data: (f32, f32),
    /// The dimensions along which scales of weights differ, and the scales.
    pub weights: (i32, Vec<f32>),
    /// The same for the weights of a projection, if there is one.
    pub projection: Option<(i32, Vec<f32>)>,
}

impl<'a> Attr<'a> {
    /// Attributes as a primitive has them by default.
    pub fn new(api: &'a Api) -> Result<Attr<'a>, Failure> {
        // SAFETY: `out` points to a live handle slot.
        Attr::create(api, "attr create", |out| unsafe { (api.primitive_attr_create)(out) })
    }

    /// Sets scales.
    pub fn scales(&self, api: &Api, scales: &Quantization) -> Result<(), Failure> {
        self.quantize("set scales", api.primitive_attr_set_scales_v2, scales)
    }

    /// Sets zero points.
    pub fn zero_points(&self, api: &Api, zero_points: &Quantization) -> Result<(), Failure> {
        self.quantize("set zero points", api.primitive_attr_set_zero_points_v2, zero_points)
    }

    fn quantize(
        &self,
        stage: &str,
        set: unsafe extern "C" fn(crate::api::Handle, c_int, c_int, c_int, *const i64, c_int, c_int) -> c_int,
        what: &Quantization,
    ) -> Result<(), Failure> {
        let groups = if what.groups.is_empty() { ptr::null() } else { what.groups.as_ptr() };
        let (count, dt, host) = (what.groups.len() as c_int, what.dt as c_int, c_int::from(what.host));
        // SAFETY: the attribute is alive, `groups` holds as many values as said.
        check(stage, unsafe { set(self.handle(), what.arg, what.mask, count, groups, dt, host) })
    }

    /// Sets what the integers of a recurrent network stand for.
    pub fn recurrent(&self, api: &Api, what: &RecurrentQuantization) -> Result<(), Failure> {
        let (scale, shift) = what.data;
        // SAFETY: the attribute is alive.
        check("set rnn data", unsafe { (api.primitive_attr_set_rnn_data_qparams)(self.handle(), scale, shift) })?;
        let (mask, scales) = &what.weights;
        let count = scales.len() as i64;
        // SAFETY: the attribute is alive, the list holds as many values as said.
        check("set rnn weights", unsafe {
            (api.primitive_attr_set_rnn_weights_qparams)(self.handle(), count, *mask, scales.as_ptr())
        })?;
        let Some((mask, scales)) = &what.projection else { return Ok(()) };
        let count = scales.len() as i64;
        // SAFETY: as above.
        check("set rnn projection", unsafe {
            (api.primitive_attr_set_rnn_weights_projection_qparams)(self.handle(), count, *mask, scales.as_ptr())
        })
    }

    /// Sets the floating-point math mode.
    pub fn math_mode(&self, api: &Api, mode: c_int, apply_to_int: bool) -> Result<(), Failure> {
        // SAFETY: the attribute is alive.
        check("set fpmath", unsafe {
            (api.primitive_attr_set_fpmath_mode_v2)(self.handle(), mode, c_int::from(apply_to_int))
        })
    }

    /// Leaves the scratchpad to the caller.
    pub fn user_scratchpad(&self, api: &Api) -> Result<(), Failure> {
        // SAFETY: the attribute is alive.
        check("set scratchpad", unsafe { (api.primitive_attr_set_scratchpad_mode)(self.handle(), 1) })
    }

    /// Asks for the same result in every run.
    pub fn deterministic(&self, api: &Api) -> Result<(), Failure> {
        // SAFETY: the attribute is alive.
        check("set deterministic", unsafe { (api.primitive_attr_set_deterministic)(self.handle(), 1) })
    }

    /// Rounds an argument at random.
    pub fn stochastic_rounding(&self, api: &Api, argument: c_int) -> Result<(), Failure> {
        // SAFETY: the attribute is alive.
        check("set rounding", unsafe { (api.primitive_attr_set_rounding)(self.handle(), argument, 1) })
    }

    /// Zeroes elements at random, and writes which into a mask where there is one. The seed is of type `seed`; there may be an
    /// offset, and numbers may be in host memory.
    pub fn dropout(&self, api: &Api, mask: Desc<'_>, seed: DataType, offset: bool, host: bool) -> Result<(), Failure> {
        let nothing = MemoryDesc::with_tag(api, &[], DataType::F32, 0)?;
        let mask = mask.unwrap_or(nothing.borrow());
        let (seed, offset, host) = (seed as c_int, c_int::from(offset), c_int::from(host));
        // SAFETY: the attribute and the mask's descriptor are alive.
        check("set dropout", unsafe {
            (api.primitive_attr_set_dropout_v2)(self.handle(), mask.handle(), seed, offset, host)
        })
    }

    /// Sets the chain of post-ops, which is copied.
    pub fn post_ops(&self, api: &Api, chain: &PostOps<'_>) -> Result<(), Failure> {
        // SAFETY: both objects are alive.
        check("set post-ops", unsafe { (api.primitive_attr_set_post_ops)(self.handle(), chain.handle()) })
    }
}

impl<'a> PostOps<'a> {
    /// An empty chain.
    pub fn new(api: &'a Api) -> Result<PostOps<'a>, Failure> {
        // SAFETY: `out` points to a live handle slot.
        PostOps::create(api, "post-ops create", |out| unsafe { (api.post_ops_create)(out) })
    }

    /// Adds what was in the destination.
    pub fn sum(&self, api: &Api, scale: f32, zero_point: i32, dt: Option<DataType>) -> Result<(), Failure> {
        let dt = dt.map_or(0, |dt| dt as c_int);
        // SAFETY: the chain is alive.
        check("append sum", unsafe { (api.post_ops_append_sum)(self.handle(), scale, zero_point, dt) })
    }

    /// Applies a function.
    pub fn eltwise(&self, api: &Api, algorithm: c_int, alpha: f32, beta: f32) -> Result<(), Failure> {
        // SAFETY: the chain is alive.
        check("append eltwise", unsafe { (api.post_ops_append_eltwise)(self.handle(), algorithm, alpha, beta) })
    }

    /// Combines with another tensor, or chooses between two by a third.
    pub fn binary(&self, api: &Api, algorithm: c_int, src1: Desc<'_>, src2: Desc<'_>) -> Result<(), Failure> {
        // SAFETY: the chain and the descriptors are alive; descriptors are copied.
        check("append binary", unsafe {
            (api.post_ops_append_binary_v2)(self.handle(), algorithm, raw(src1), raw(src2))
        })
    }

    /// Scales negative values by weights.
    pub fn prelu(&self, api: &Api, mask: c_int) -> Result<(), Failure> {
        // SAFETY: the chain is alive.
        check("append prelu", unsafe { (api.post_ops_append_prelu)(self.handle(), mask) })
    }

    /// Applies a depthwise convolution without bias: types of weights and destination; kernel, stride and padding.
    pub fn depthwise(&self, api: &Api, types: [DataType; 2], window: [i64; 3]) -> Result<(), Failure> {
        const NO_BIAS: c_int = 0;
        let ([weights, dst], [kernel, stride, padding]) = (types.map(|dt| dt as c_int), window);
        // SAFETY: the chain is alive.
        check("append depthwise", unsafe {
            (api.post_ops_append_dw)(self.handle(), weights, NO_BIAS, dst, kernel, stride, padding)
        })
    }
}
