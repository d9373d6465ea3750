//! Short elements that are stored in groups: members that share a word, words side by side, as dot products read them.
//!
//! The members of a group come from as many vectors, each of which has one of every word.

use super::loops::Loops;
use super::takes;
use super::tile::grows;
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, NdRange};
use crate::schedule::contract::contiguous;
use crate::schedule::map::bind_linear;
use crate::schedule::{ONE_ITEM, Scheduled, needs_wide_indices};

/// Bits of a word.
pub(super) const WORD: i64 = 32;

/// A stage that puts groups together.
#[derive(Debug)]
pub(super) struct Groups {
    program: Program,
    stage: Stage,
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
    /// Sees a stage as one that puts groups together, if it is one.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Groups> {
        let [Store { tensor, offset: target, value }] = stage.stores[..] else { return None };
        let data_type = program.tensor(tensor).data_type;
        let group = WORD / i64::from(data_type.bits());
        if !matches!(data_type, DataType::Bf16 | DataType::S8 | DataType::U8)
            || !takes(program, stage, profile)
            || !program.reductions([value]).is_empty()
        {
            return None;
        }
        let lanes = (profile.vector_bytes as i64 / 4).min(16);
        let steps = |axis: AxisId, by: i64| program.constant_step(target, axis) == Some(by);
        let is_group = |&axis: &AxisId| program.extent(axis) == Some(group) && steps(axis, 1);
        let members = stage.axes.iter().copied().find(is_group)?;
        let side_by_side = |&axis: &AxisId| {
            let is_wide = program.extent(axis).is_some_and(|extent| extent >= lanes);
            is_wide && steps(axis, group) && contiguous(program, value, axis, lanes)
        };
        let columns = stage.axes.iter().copied().find(side_by_side)?;
        let others: Vec<AxisId> =
            stage.axes.iter().copied().filter(|&axis| axis != members && axis != columns).collect();
        if stage.bounds.is_some_and(|bounds| !grows(program, bounds)) {
            return None;
        }
        let order = [&others[..], &[columns, members]].concat();
        let loops = Loops::of(program, &order, others.len(), &[], None, profile);
        let mut program = program.clone();
        let (chunk, chunks) = (program.param(loops.chunk), program.param(loops.chunks));
        Some(Groups {
            program,
            stage: stage.clone(),
            members,
            columns,
            group,
            lanes,
            others,
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
        let store = &self.stage.stores[0];
        let element = if *group == 2 { "ushort" } else { "uchar" };
        emitter.bind(*columns, "c");
        emitter.set_lanes(Some((*columns, *lanes as usize)));
        let parts: Option<Vec<String>> = (0..*group)
            .map(|member| {
                emitter.bind(*members, member.to_string());
                let elements = emitter.scattered_elements(store)?;
                let part = format!("convert_uint{lanes}(as_{element}{lanes}({elements}))");
                Some(format!("({part} << {})", member * WORD / group))
            })
            .collect();
        emitter.bind(*members, "0");
        emitter.set_lanes(None);
        // Offsets from here on are those of the first lane.
        emitter.bind(*columns, "c");
        let Some(parts) = parts else {
            return (0..*lanes).for_each(|lane| self.members(emitter, &format!("(c + {lane})")));
        };
        let target = format!("{} + {}", emitter.tensor_argument(store.tensor), emitter.scalar(store.offset));
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
            store_element(emitter, &self.stage);
            emitter.close();
        }
    }
}

/// Stores an element, or a zero where it is padding.
pub(super) fn store_element(emitter: &mut Emitter<'_>, stage: &Stage) {
    if let Some(bounds) = stage.bounds {
        let inside = emitter.scalar(bounds);
        emitter.open(format!("if (!({inside}))"));
        emitter.store_zero(&stage.stores[0]);
        emitter.close();
        emitter.open("else");
    }
    emitter.store(&stage.stores[0]);
    if stage.bounds.is_some() {
        emitter.close();
    }
}
