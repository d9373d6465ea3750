//! `zeFence*`.

use std::sync::Arc;

use super::ready;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::command_queue::CommandQueue;
use crate::core::fence::Fence;
use crate::core::signal::{Deadline, Signal, Times};
use crate::{handle, pointer};

entries! {
    fn zeFenceCreate(queue: ze_command_queue_handle_t, desc: *const ze_fence_desc_t, fence: *mut ze_fence_handle_t) {
        handle::get::<CommandQueue>(queue)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(fence)?;
        super::enumerator(desc.flags & !ZE_FENCE_FLAG_SIGNALED == 0)?;
        let signal = Arc::new(Signal::new());
        if desc.flags & ZE_FENCE_FLAG_SIGNALED != 0 {
            signal.set(Times::default());
        }
        pointer::write(fence, handle::create(Arc::new(Fence { signal })))
    }

    fn zeFenceDestroy(fence: ze_fence_handle_t) {
        handle::destroy::<Fence>(fence).map(drop)
    }

    fn zeFenceHostSynchronize(fence: ze_fence_handle_t, timeout: u64) {
        ready(handle::get::<Fence>(fence)?.signal.wait(Deadline::after(timeout))?)
    }

    fn zeFenceQueryStatus(fence: ze_fence_handle_t) {
        ready(handle::get::<Fence>(fence)?.signal.is_up()?)
    }

    fn zeFenceReset(fence: ze_fence_handle_t) {
        handle::get::<Fence>(fence)?.signal.reset();
        Ok(())
    }
}
