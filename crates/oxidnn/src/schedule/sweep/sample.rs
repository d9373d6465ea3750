//! Texts of kernels, for tests of what they look like.

use crate::desc::*;
use crate::runtime::{DeviceProfile, DeviceType};

/// The text of an operation's first kernel on a CPU-type device with long vectors.
pub(super) fn text(op: impl Into<Op>) -> String {
    text_of(op, |_| ())
}

/// The same on a device that has something else.
pub(super) fn text_of(op: impl Into<Op>, change: impl FnOnce(&mut DeviceProfile)) -> String {
    let host = crate::runtime::cpu::Device.profile().clone();
    let mut profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, ..host };
    change(&mut profile);
    let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
    crate::schedule::prepare(&mut program, &profile);
    crate::schedule::schedule(&program, &program.stages[0], &profile).unwrap().source.text
}

/// Square images.
pub(super) fn images(tag: &str, channels: i64, extent: i64) -> MemoryDesc {
    let tag = FormatTag::from_name(tag).unwrap();
    MemoryDesc::with_tag(&[2, channels, extent, extent], DataType::F32, tag).unwrap()
}

/// Windows of 3 by 3 elements.
pub(super) fn window(stride: i64, padding: i64) -> PoolWindow {
    let twice = |x: i64| Dims::from([x, x]);
    PoolWindow {
        strides: twice(stride),
        kernel: twice(3),
        dilation: twice(0),
        padding_l: twice(padding),
        padding_r: twice(padding),
    }
}

/// The text of such windows of images.
pub(super) fn pooled(prop: PropKind, alg: AlgKind, tag: &str, stride: i64, padding: i64) -> String {
    let (src, dst) = (images(tag, 32, 33), images(tag, 32, (33 + 2 * padding - 3) / stride + 1));
    text(Pooling::forward(prop, alg, &src, &dst, window(stride, padding)).unwrap())
}
