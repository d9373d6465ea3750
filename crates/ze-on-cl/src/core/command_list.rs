//! Command lists: regular ones record, immediate ones execute.

use std::sync::{Arc, Mutex};

use smallvec::SmallVec;

use super::command::{Command, Operation};
use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::lock;
use super::signal::Signal;
use super::stream::Stream;
use crate::bindings::*;
use crate::{Error, Result};

/// What becomes of appended commands.
enum Fate {
    Recorded(Mutex<Record>),
    Executed(Arc<Stream>),
}

#[derive(Default)]
struct Record {
    commands: Vec<Command>,
    /// Whether each command comes after the one before it.
    in_order: bool,
    closed: bool,
}

/// A command list.
pub(crate) struct CommandList {
    pub context: Arc<Context>,
    /// Its queue group.
    pub ordinal: u32,
    /// Which queue of the group, if it is immediate.
    pub index: u32,
    fate: Fate,
}

impl CommandList {
    pub(crate) fn regular(context: Arc<Context>, desc: &ze_command_list_desc_t) -> CommandList {
        let in_order = desc.flags & ZE_COMMAND_LIST_FLAG_IN_ORDER != 0;
        let record = Mutex::new(Record { in_order, ..Record::default() });
        CommandList { context, ordinal: desc.commandQueueGroupOrdinal, index: 0, fate: Fate::Recorded(record) }
    }

    pub(crate) fn immediate(
        context: Arc<Context>,
        device: Arc<Device>,
        desc: &ze_command_queue_desc_t,
    ) -> Result<CommandList> {
        let stream = Stream::new(device, desc.mode, desc.flags & ZE_COMMAND_QUEUE_FLAG_IN_ORDER != 0)?;
        Ok(CommandList { context, ordinal: desc.ordinal, index: desc.index, fate: Fate::Executed(stream) })
    }

    /// What executes it, if it is immediate.
    pub(crate) fn stream(&self) -> Result<&Arc<Stream>> {
        match &self.fate {
            Fate::Executed(stream) => Ok(stream),
            Fate::Recorded(_) => Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)),
        }
    }

    /// Appends a command that waits for events and raises one.
    pub(crate) fn append(&self, operation: Operation, waits: &[Arc<Event>], raises: Option<&Arc<Event>>) -> Result {
        let waits: SmallVec<[Arc<Signal>; 2]> = waits.iter().map(|event| event.signal()).collect();
        let raises = raises.map(|event| event.signal_to_raise());
        let command = Command { operation, waits, raises };
        match &self.fate {
            Fate::Executed(stream) => stream.submit([command]),
            Fate::Recorded(record) => {
                let mut record = lock(record);
                if record.closed {
                    return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
                }
                if record.in_order && !record.commands.is_empty() {
                    record.commands.push(Command::plain(Operation::Barrier));
                }
                record.commands.push(command);
                Ok(())
            }
        }
    }

    /// Executes closed regular lists, if it is immediate itself.
    pub(crate) fn append_lists(
        &self,
        lists: &[Arc<CommandList>],
        waits: &[Arc<Event>],
        raises: Option<&Arc<Event>>,
    ) -> Result {
        let stream = self.stream()?;
        let mut commands = Vec::new();
        if !waits.is_empty() {
            let waits = waits.iter().map(|event| event.signal()).collect();
            commands.push(Command { waits, ..Command::plain(Operation::Barrier) });
        }
        for list in lists {
            commands.extend(list.recorded()?);
        }
        commands.extend(raises.map(|event| Command::raising(event.signal_to_raise())));
        stream.submit(commands)
    }

    pub(crate) fn close(&self) -> Result {
        if let Fate::Recorded(record) = &self.fate {
            lock(record).closed = true;
        }
        Ok(())
    }

    /// Empties it and opens it again.
    pub(crate) fn reset(&self) -> Result {
        if let Fate::Recorded(record) = &self.fate {
            let mut record = lock(record);
            record.commands.clear();
            record.closed = false;
        }
        Ok(())
    }

    /// The commands of a closed regular list.
    pub(crate) fn recorded(&self) -> Result<Vec<Command>> {
        match &self.fate {
            Fate::Recorded(record) => {
                let record = lock(record);
                if record.closed { Ok(record.commands.clone()) } else { Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)) }
            }
            Fate::Executed(_) => Err(Error(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE)),
        }
    }
}

impl Drop for CommandList {
    fn drop(&mut self) {
        if let Fate::Executed(stream) = &self.fate {
            stream.close();
        }
    }
}
