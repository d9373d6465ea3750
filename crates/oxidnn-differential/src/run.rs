//! Runs one case on one library: descriptors, attributes, primitive, memories, execution, results.
//!
//! Outputs start as a byte pattern no result looks like, so an element nobody wrote shows; padding must come back as zeros, guard bytes
//! and the gaps of strided tensors untouched.

use crate::api::{Api, Handle, arg};
use crate::attributes::Attributes;
use crate::case::{Arg, Case, Crossing, Descs, Format, Role};
use crate::handle::{Attr, BorrowedDesc, Device, Failure, Memory, Primitive, PrimitiveDesc, host_scalar};
use crate::layout::{Layout, read, write};
use crate::outcome::{Outcome, Output};
use dnnl_dynamic::buffer::Buffer;
use dnnl_dynamic::create::Maker;

/// A library with the engines a case may use.
pub struct Session<'a> {
    /// The library.
    pub api: &'a Api,
    /// The engine under test.
    pub device: Device<'a>,
    /// The CPU engine for reorders between engines, where there is one.
    pub cpu: Option<Device<'a>>,
    /// Whether tensors end at pages that cannot be read.
    pub guarded: bool,
}

/// The memory of one argument.
enum Place<'a> {
    /// A value on the host.
    Host(Memory<'a>),
    /// In the memory of another argument.
    Shared(i32),
    /// In a buffer in the arrangement the test fills, and in one in the primitive's arrangement where that is another.
    Own { filled: Buffer<'a>, chosen: Option<Buffer<'a>> },
}

impl<'a> Session<'a> {
    /// Runs a case.
    pub fn run(&self, case: &Case) -> Outcome {
        match self.try_run(case) {
            Ok(outcome) => outcome,
            Err(Failure { stage, status }) => Outcome::Refused { stage, status },
        }
    }

    fn buffer(&self, device: &Device<'a>, md: BorrowedDesc<'_>) -> Result<Buffer<'a>, Failure> {
        // What has no bytes has no end.
        if self.guarded && md.size() > 0 {
            Buffer::before_a_guard(self.api, device, md)
        } else {
            Buffer::new(self.api, device, md)
        }
    }

    fn device_of(&self, case: &Case, index: i32) -> &Device<'a> {
        match (case.operation.crossing(), index, &self.cpu) {
            (Crossing::FromCpu, arg::SRC, Some(cpu)) | (Crossing::ToCpu, arg::DST, Some(cpu)) => cpu,
            _ => &self.device,
        }
    }

    fn try_run(&self, case: &Case) -> Result<Outcome, Failure> {
        let mut mds = Vec::new();
        for argument in &case.args {
            mds.push((argument.index, argument.tensor.creation_desc(self.api)?));
        }
        let mds = Descs(mds);
        let attr = case.attributes.build(self.api, &mds)?;
        let bare = Attributes::default().build(self.api, &mds)?;
        let maker = Maker { api: self.api, device: &self.device, attr: &bare, hint: None };
        let forward = case.operation.forward(&maker, &mds).transpose()?;
        let pd = match case.operation.crossing() {
            Crossing::None => case.operation.create(&Maker { attr: &attr, hint: forward.as_ref(), ..maker }, &mds)?,
            _ => {
                let (src, dst) = (mds.desc(arg::SRC).zip(mds.desc(arg::DST))).expect("a reorder has two tensors");
                let from = Maker { attr: &attr, device: self.device_of(case, arg::SRC), ..maker };
                from.reorder_to(self.device_of(case, arg::DST), src, dst)?
            }
        };
        let primitive = Primitive::new(self.api, &pd)?;

        let (mut places, mut sizes) = (Vec::new(), Vec::new());
        for argument in &case.args {
            let md = argument.tensor.memory_desc(self.api)?;
            sizes.push(match argument.tensor.format {
                Format::Tag(_) | Format::Strides(_) => md.size() as u64,
                Format::Any | Format::HostScalar => 0,
            });
            places.push((argument.index, self.place(case, argument, &pd)?));
        }
        let mut args: Vec<(i32, Handle)> = Vec::new();
        for (index, _) in &places {
            args.push((*index, memory_of(&places, *index)));
        }
        let scratchpad = case.attributes.user_scratchpad.then(|| pd.scratchpad()).filter(|md| md.size() > 0);
        let scratchpad = scratchpad.map(|md| self.buffer(&self.device, md)).transpose()?;
        if let Some(buffer) = &scratchpad {
            args.push((arg::SCRATCHPAD, buffer.memory()));
        }
        let workspace = pd.workspace();
        let workspace = if workspace.size() > 0 { Some(self.buffer(&self.device, workspace)?) } else { None };
        if let (Some(workspace), Some(forward)) = (&workspace, &forward) {
            self.run_forward(case, forward, &places, &args, workspace)?;
        }
        args.extend(workspace.iter().map(|workspace| (arg::WORKSPACE, workspace.memory())));
        primitive.execute(&self.device, &args)?;

        let mut outputs = Vec::new();
        for argument in case.outputs() {
            outputs.push(self.collect(case, argument, &places, &pd)?);
        }
        if let (Some(buffer), Some(first)) = (&scratchpad, outputs.first_mut())
            && !buffer.read()?.1
        {
            first.faults.push("bytes past the end of the scratchpad were written".to_string());
        }
        Ok(Outcome::Ran { sizes, outputs })
    }

    /// Runs the forward pass for the workspace, and for those of its results that are results of the case.
    fn run_forward(
        &self,
        case: &Case,
        forward: &PrimitiveDesc<'a>,
        places: &[(i32, Place<'a>)],
        args: &[(i32, Handle)],
        workspace: &Buffer<'a>,
    ) -> Result<(), Failure> {
        let mut own = Vec::new();
        for argument in &case.args {
            let is_dst = matches!(argument.index, arg::DST | arg::DST_1 | arg::DST_2);
            let wanted = forward.argument(argument.index);
            let Some((_, Place::Own { filled, .. })) = places.iter().find(|(index, _)| *index == argument.index) else {
                continue;
            };
            if is_dst && argument.role == Role::Input {
                own.push((argument.index, self.buffer(&self.device, wanted)?));
            } else if argument.tensor.format == Format::Any && argument.role == Role::Input && wanted.size() > 0 {
                // The passes may choose different layouts.
                let buffer = self.buffer(&self.device, wanted)?;
                let md = argument.tensor.memory_desc(self.api)?;
                self.reorder((md.borrow(), filled), (wanted, &buffer))?;
                own.push((argument.index, buffer));
            }
        }
        if case.find(arg::DST).is_none() {
            own.push((arg::DST, self.buffer(&self.device, forward.argument(arg::DST))?));
        }
        let replaced = |index: i32| own.iter().any(|(of, _)| *of == index);
        let mut forward_args: Vec<(i32, Handle)> = args.iter().filter(|(i, _)| !replaced(*i)).copied().collect();
        forward_args.extend(own.iter().map(|(index, buffer)| (*index, buffer.memory())));
        forward_args.push((arg::WORKSPACE, workspace.memory()));
        Primitive::new(self.api, forward)?.execute(&self.device, &forward_args)
    }

    /// Makes the memory of an argument and fills it.
    fn place(&self, case: &Case, argument: &Arg, pd: &PrimitiveDesc<'_>) -> Result<Place<'a>, Failure> {
        let tensor = &argument.tensor;
        if let Role::InPlace(other) = argument.role {
            return Ok(Place::Shared(other));
        }
        if tensor.format == Format::HostScalar {
            return Ok(Place::Host(host_scalar(self.api, tensor.dt, tensor.bits[0])?));
        }
        let device = self.device_of(case, argument.index);
        let md = tensor.memory_desc(self.api)?;
        let filled = self.buffer(device, md.borrow())?;
        if argument.role != Role::Output {
            let layout = tensor.layout();
            let mut bytes = vec![Buffer::pattern(); md.size()];
            layout.padding().into_iter().for_each(|offset| write(&mut bytes, tensor.dt, offset, 0));
            let offsets = layout.offsets();
            offsets.iter().zip(&tensor.bits).for_each(|(offset, bits)| write(&mut bytes, tensor.dt, *offset, *bits));
            filled.write(&bytes)?;
        }
        let wanted = pd.argument(argument.index);
        if tensor.format != Format::Any || wanted.same(md.borrow()) {
            return Ok(Place::Own { filled, chosen: None });
        }
        let chosen = self.buffer(device, wanted)?;
        if argument.role != Role::Output {
            self.reorder((md.borrow(), &filled), (wanted, &chosen))?;
        }
        Ok(Place::Own { filled, chosen: Some(chosen) })
    }

    /// Reads an output back.
    fn collect(
        &self,
        case: &Case,
        argument: &Arg,
        places: &[(i32, Place<'a>)],
        pd: &PrimitiveDesc<'_>,
    ) -> Result<Output, Failure> {
        let tensor = &argument.tensor;
        let owner = match argument.role {
            Role::InPlace(other) => other,
            _ => argument.index,
        };
        let Some((_, Place::Own { filled, chosen })) = places.iter().find(|(index, _)| *index == owner) else {
            panic!("output {owner} has no buffer");
        };
        let mut faults = Vec::new();
        if let Some(chosen) = chosen {
            let wanted = pd.argument(argument.index);
            let (bytes, intact) = chosen.read()?;
            if let Some(layout) = wanted.layout()? {
                faults.extend(padding_fault(&bytes, tensor.dt, &layout));
            }
            faults.extend((!intact).then(|| "bytes past the end were written".to_string()));
            let md = tensor.memory_desc(self.api)?;
            self.reorder((wanted, chosen), (md.borrow(), filled))?;
        }
        let (bytes, intact) = filled.read()?;
        faults.extend((!intact).then(|| "bytes past the end were written".to_string()));
        let layout = tensor.layout();
        let footprint = tensor.dt.bytes(layout.span());
        if bytes.len() < footprint {
            faults.push(format!("descriptor says {} bytes, the tensor needs {footprint}", bytes.len()));
            return Ok(Output { index: argument.index, bits: Vec::new(), faults });
        }
        faults.extend(padding_fault(&bytes, tensor.dt, &layout));
        let offsets = layout.offsets();
        if matches!(tensor.format, Format::Strides(_)) && case.outputs().count() == 1 {
            faults.extend(gap_fault(&bytes, tensor.dt, &offsets));
        }
        let bits = offsets.iter().map(|offset| read(&bytes, tensor.dt, *offset)).collect();
        Ok(Output { index: argument.index, bits, faults })
    }

    /// Copies between arrangements with the library's own reorder.
    fn reorder(
        &self,
        src: (BorrowedDesc<'_>, &Buffer<'_>),
        dst: (BorrowedDesc<'_>, &Buffer<'_>),
    ) -> Result<(), Failure> {
        let attr = Attr::new(self.api)?;
        let maker = Maker { api: self.api, device: &self.device, attr: &attr, hint: None };
        let in_stage =
            |failure: Failure| Failure { stage: format!("{} of a helper reorder", failure.stage), ..failure };
        let pd = maker.reorder(src.0, dst.0).map_err(in_stage)?;
        let primitive = Primitive::new(self.api, &pd).map_err(in_stage)?;
        let args = [(arg::SRC, src.1.memory()), (arg::DST, dst.1.memory())];
        primitive.execute(&self.device, &args).map_err(in_stage)
    }
}

fn memory_of(places: &[(i32, Place<'_>)], index: i32) -> Handle {
    match &places.iter().find(|(i, _)| *i == index).expect("every argument has a place").1 {
        Place::Host(memory) => memory.handle(),
        Place::Shared(other) => memory_of(places, *other),
        Place::Own { chosen: Some(buffer), .. } | Place::Own { filled: buffer, chosen: None } => buffer.memory(),
    }
}

fn padding_fault(bytes: &[u8], dt: crate::dtype::DataType, layout: &Layout) -> Option<String> {
    let padding = layout.padding();
    let bad = padding.iter().find(|offset| read(bytes, dt, **offset) != 0)?;
    Some(format!("padding element at offset {bad} is {:#x}, not zero", read(bytes, dt, *bad)))
}

fn gap_fault(bytes: &[u8], dt: crate::dtype::DataType, offsets: &[usize]) -> Option<String> {
    // Two elements of four bits share a byte.
    let shared = if dt.bytes(2) == dt.bytes(1) { 2 } else { 1 };
    let untouched = vec![Buffer::pattern(); dt.bytes(shared)];
    let mut used = vec![false; bytes.len() / dt.bytes(1) * shared];
    offsets.iter().for_each(|offset| used[*offset] = true);
    let touched = |&offset: &usize| !used[offset] && read(bytes, dt, offset) != read(&untouched, dt, offset % shared);
    let bad = (0..used.len()).find(touched)?;
    Some(format!("the gap at offset {bad} was written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DataType;

    #[test]
    fn gaps_are_told_from_elements_in_bytes_and_in_halves_of_them() {
        let mut bytes = vec![Buffer::pattern(); 4];
        for dt in [DataType::S8, DataType::S4] {
            assert_eq!(gap_fault(&bytes, dt, &[0, 1]), None);
        }
        bytes[3] ^= 0xf0;
        assert!(gap_fault(&bytes, DataType::S8, &[0, 1, 2]).is_some_and(|fault| fault.contains("offset 3")));
        assert_eq!(gap_fault(&bytes, DataType::S8, &[3]), None);
        assert!(gap_fault(&bytes, DataType::S4, &[0, 6]).is_some_and(|fault| fault.contains("offset 7")));
        assert_eq!(gap_fault(&bytes, DataType::S4, &[0, 7]), None);
    }
}
