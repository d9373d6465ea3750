//! Lists the engines that oxidnn finds here.

use oxidnn::desc::EngineKind;
use oxidnn::{Engine, Result};

fn main() -> Result<()> {
    for kind in [EngineKind::Gpu, EngineKind::Cpu] {
        for index in 0..Engine::count(kind) {
            let engine = Engine::new(kind, index)?;
            let profile = engine.device().profile();
            println!("{kind}:{index}  {} ({:?}), driver {}", profile.name, profile.device_type, profile.driver);
        }
    }
    Ok(())
}
