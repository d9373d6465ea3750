//! Command queues.

use std::sync::Arc;

use super::command::{Command, Operation};
use super::command_list::CommandList;
use super::device::Device;
use super::fence::Fence;
use super::stream::Stream;
use crate::Result;
use crate::bindings::*;

/// A command queue.
pub(crate) struct CommandQueue {
    pub desc: ze_command_queue_desc_t,
    pub stream: Arc<Stream>,
}

// SAFETY: the description's pointers are not used.
unsafe impl Send for CommandQueue {}
// SAFETY: as above.
unsafe impl Sync for CommandQueue {}

impl CommandQueue {
    pub(crate) fn new(device: Arc<Device>, desc: &ze_command_queue_desc_t) -> Result<CommandQueue> {
        let desc = ze_command_queue_desc_t { pNext: std::ptr::null(), ..*desc };
        Ok(CommandQueue { desc, stream: Stream::new(device, desc.mode, false)? })
    }

    /// Executes closed command lists one after another, then raises the fence.
    pub(crate) fn execute(&self, lists: &[Arc<CommandList>], fence: Option<&Fence>) -> Result {
        let mut commands = Vec::new();
        for list in lists {
            commands.push(Command::plain(Operation::Barrier));
            commands.extend(list.recorded()?);
        }
        commands.extend(fence.map(|fence| Command::raising(Arc::clone(&fence.signal))));
        self.stream.submit(commands)
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        self.stream.close();
    }
}
