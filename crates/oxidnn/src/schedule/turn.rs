//! A stage that reads what one before has read starts at the end: that is still in a cache.
//!
//! Of tensors larger than the caches, those hold what was read last. A stage that starts at the beginning again finds nothing of it,
//! and drives out the rest before it gets there.

use super::{contract, read, sweep};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Turns the stages that gain by it.
pub(super) fn turn(program: &mut Program, profile: &DeviceProfile) {
    for at in 1..program.stages.len() {
        program.stages[at].backwards = gains(program, at, profile);
    }
}

/// Whether a stage without reductions reads much of what one before it read from the beginning.
fn gains(program: &Program, at: usize, profile: &DeviceProfile) -> bool {
    let stage = &program.stages[at];
    let fits = program.reductions(program.roots(stage)).is_empty()
        && stage.repeat.is_none()
        && sweep::takes(program, stage, profile)
        && contract::Contraction::of(program, stage, profile).is_none();
    let bytes = |tensor: TensorId| {
        let Tensor { elements, data_type, .. } = program.tensor(tensor);
        elements.unwrap_or(0).saturating_mul(data_type.bits() as i64) / 8
    };
    let is_large = |tensor: &TensorId| bytes(*tensor) >= profile.cache_bytes as i64;
    let reads = |stage: &Stage| -> Vec<Binding> {
        let tensors = stage.stores.iter().flat_map(|store| read(program, store.value)).filter(is_large);
        tensors.map(|tensor| program.tensor(tensor).binding).collect()
    };
    let again = reads(stage);
    // The last that read any of it decides.
    let before = program.stages[..at].iter().rev().find(|before| reads(before).iter().any(|of| again.contains(of)));
    fits && before.is_some_and(|before| !before.backwards)
}
