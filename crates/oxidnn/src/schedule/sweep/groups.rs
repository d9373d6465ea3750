//! Copies of short elements into groups: members that share a word, words side by side, as dot products read them.
//!
//! The members of a group come from as many vectors, each of which has one of every word.

use super::choose::Loops;
use super::takes;
use super::tile::grows;
use crate::codegen::opencl::Emitter;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, needs_wide_indices};

/// Bits of a word.
const WORD: i64 = 32;

/// A stage that puts groups together.
#[derive(Debug)]
pub(super) struct Groups {
    program: Program,
    stage: Stage,
    /// What is copied.
    load: E,
    /// The axis of the members of a group, and the one of groups side by side.
    members: AxisId,
    columns: AxisId,
    /// How many members a group has, and lanes a vector.
    group: i64,
    lanes: i64,
    /// The other axes, outermost first; the work-item goes through those from `looped` on, through a chunk of this one.
    others: Vec<AxisId>,
    looped: usize,
    chunk: E,
    chunks: E,
    global: usize,
}

impl Groups {
    /// Sees a stage as such a copy, if it is one.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Groups> {
        let [Store { tensor: to, offset: target, value: load }] = stage.stores[..] else { return None };
        let Node::Load { tensor, offset, guard: None, .. } = *program.node(load) else { return None };
        let data_type = program.tensor(tensor).data_type;
        if !takes(program, stage, profile) || program.tensor(to).data_type != data_type {
            return None;
        }
        let group = WORD / i64::from(data_type.bits());
        let lanes = (profile.vector_bytes as i64 / 4).min(16);
        let steps = |offset: E, axis: AxisId, by: i64| program.constant_step(offset, axis) == Some(by);
        let (&members, others) = stage.axes.split_last()?;
        let (&columns, others) = others.split_last()?;
        let is_group = (2..=4).contains(&group) && program.extent(members)? == group && steps(target, members, 1);
        let has_columns = program.extent(columns)? >= lanes && steps(target, columns, group);
        if !is_group || !has_columns || !steps(offset, columns, 1) {
            return None;
        }
        if stage.bounds.is_some_and(|bounds| !grows(program, bounds)) {
            return None;
        }
        let loops = Loops::of(program, &stage.axes, others.len(), &[], None, profile);
        let mut program = program.clone();
        let (chunk, chunks) = (program.param(loops.chunk), program.param(loops.chunks));
        Some(Groups {
            program,
            stage: stage.clone(),
            load,
            members,
            columns,
            group,
            lanes,
            others: others.to_vec(),
            looped: loops.looped,
            chunk,
            chunks,
            global: loops.global as usize,
        })
    }

    pub fn schedule(&self) -> Scheduled {
        let Groups { program, stage, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        self.body(&mut emitter);
        let tensors = program.stage_tensors(stage);
        let source = emitter.finish(stage.name, ONE_ITEM, &tensors);
        Scheduled::new(program, "groups", source, NdRange { global: [self.global, 1, 1], local: Some([1; 3]) })
    }

    fn body(&self, emitter: &mut Emitter<'_>) {
        let Groups { program, columns, lanes, .. } = self;
        let index = emitter.index_type();
        emitter.line(format!("const {index} item = ({index})get_global_id(0);"));
        let (outer, inner) = self.others.split_at(self.looped);
        let mut opened = 0;
        if let [cut, inner @ ..] = inner {
            let (chunk, chunks) = (emitter.scalar(self.chunk), emitter.scalar(self.chunks));
            let extent = emitter.scalar(program.axis(*cut).extent);
            emitter.line(format!("const {index} first = item % {chunks} * {chunk};"));
            emitter.line(format!("const {index} last = min(first + {chunk}, {extent});"));
            emitter.line(format!("const {index} outer = item / {chunks};"));
            bind_linear(emitter, program, outer, "outer".into());
            emitter.open(format!("for ({index} o = first; o < last; ++o)"));
            emitter.bind(*cut, "o");
            for (depth, &axis) in inner.iter().enumerate() {
                let extent = emitter.scalar(program.axis(axis).extent);
                emitter.open(format!("for ({index} o{depth} = 0; o{depth} < {extent}; ++o{depth})"));
                emitter.bind(axis, format!("o{depth}"));
            }
            opened = 1 + inner.len();
        } else {
            bind_linear(emitter, program, outer, "item".into());
        }
        let extent = emitter.scalar(program.axis(*columns).extent);
        emitter.open(format!("for ({index} c = 0; c < {extent}; c += {lanes})"));
        let mut tests = vec![format!("c + {lanes} <= {extent}")];
        if let Some(bounds) = self.stage.bounds {
            emitter.bind(*columns, format!("(c + {})", lanes - 1));
            emitter.bind(self.members, (self.group - 1).to_string());
            tests.push(emitter.scalar(bounds));
        }
        emitter.open(format!("if ({})", tests.join(" && ")));
        self.words(emitter);
        emitter.close();
        emitter.open("else");
        emitter.open(format!("for ({index} d = c; d < min(c + {lanes}, {extent}); ++d)"));
        self.members(emitter, "d");
        emitter.close();
        emitter.close();
        emitter.close();
        (0..opened).for_each(|_| emitter.close());
    }

    /// A vector of groups, from column `c` on.
    fn words(&self, emitter: &mut Emitter<'_>) {
        let Groups { columns, members, group, lanes, .. } = self;
        let element = if *group == 2 { "ushort" } else { "uchar" };
        emitter.bind(*columns, "c");
        let parts: Vec<String> = (0..*group)
            .map(|member| {
                emitter.bind(*members, member.to_string());
                let address = emitter.address(self.load);
                let part = format!("convert_uint{lanes}(vload{lanes}(0, (const __global {element} *)({address})))");
                format!("({part} << {})", member * WORD / group)
            })
            .collect();
        emitter.bind(*members, "0");
        let Store { tensor, offset, .. } = self.stage.stores[0];
        let target = format!("{} + {}", emitter.tensor_argument(tensor), emitter.scalar(offset));
        emitter.set_lanes(Some((*columns, *lanes as usize)));
        emitter.store_words(&parts.join(" | "), &target);
        emitter.set_lanes(None);
    }

    /// The members of one group, one by one.
    fn members(&self, emitter: &mut Emitter<'_>, column: &str) {
        emitter.bind(self.columns, column);
        for member in 0..self.group {
            emitter.bind(self.members, member.to_string());
            emitter.open("");
            if let Some(bounds) = self.stage.bounds {
                let inside = emitter.scalar(bounds);
                emitter.open(format!("if (!({inside}))"));
                emitter.store_zero(&self.stage.stores[0]);
                emitter.close();
                emitter.open("else");
            }
            emitter.store(&self.stage.stores[0]);
            if self.stage.bounds.is_some() {
                emitter.close();
            }
            emitter.close();
        }
    }
}
