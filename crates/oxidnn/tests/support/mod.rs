//! What the tests of primitives share.

use oxidnn::Engine;
use oxidnn::desc::EngineKind;

/// The host, and every device there is.
pub fn engines() -> Vec<Engine> {
    let gpus = (0..Engine::count(EngineKind::Gpu)).map(|i| Engine::new(EngineKind::Gpu, i).unwrap());
    std::iter::once(Engine::new(EngineKind::Cpu, 0).unwrap()).chain(gpus).collect()
}
