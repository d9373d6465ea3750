//! How a stage runs: which loops become work-items, which tiles, which vectors.
//!
//! A schedule sees a stage and a [`DeviceProfile`], never an operation. [`schedule`] picks the first that takes the stage;
//! [`map`] takes every stage, so what no smarter schedule wants still runs.

mod map;

use crate::codegen::opencl::KernelSource;
use crate::program::{Program, Stage, TensorId};
use crate::runtime::{DeviceProfile, NdRange};
use crate::{Error, Result};

/// A stage as a kernel of a device.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// Its text.
    pub source: KernelSource,
    /// Its index space. Empty where there is nothing to do.
    pub range: NdRange,
    /// Its tensor arguments, in order; the parameter block follows them.
    pub tensors: Vec<TensorId>,
    /// Which schedule made it, for `impl_info` strings.
    pub name: &'static str,
}

/// Turns a stage into a kernel.
pub fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Result<Scheduled> {
    map::schedule(program, stage, profile)
}

/// Whether offsets or positions of a stage may not fit 32 bits.
fn needs_wide_indices(program: &Program, stage: &Stage) -> bool {
    let limit = i64::from(i32::MAX);
    let mut extents: Vec<i64> = Vec::new();
    for axis in &program.axes {
        match program.value(axis.extent) {
            Some(extent) => extents.push(extent),
            None => continue,
        }
    }
    let domain = stage.axes.iter().try_fold(1i64, |product, &axis| product.checked_mul(program.extent(axis)?.max(1)));
    if domain.is_none_or(|points| points > limit) {
        return true;
    }
    let last = |axis: crate::program::AxisId| program.extent(axis).map(|extent| (extent - 1).max(0));
    let mut wide = false;
    program.visit(program.roots(stage), &mut |e| {
        if program.ty(e) == crate::program::Ty::Index {
            wide |= program.evaluate(e, &last).is_some_and(|value| value.abs() > limit);
        }
    });
    wide
}

/// The number of points of a stage's domain along each axis.
fn extents(program: &Program, stage: &Stage) -> Result<Vec<usize>> {
    stage
        .axes
        .iter()
        .map(|&axis| {
            program
                .extent(axis)
                .and_then(|extent| usize::try_from(extent).ok())
                .ok_or_else(|| Error::runtime(format!("the extent of axis {} is not known", program.axis(axis).name)))
        })
        .collect()
}
