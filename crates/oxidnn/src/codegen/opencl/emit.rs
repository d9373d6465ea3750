//! The emitter: scopes, the axes that are bound in them, the values that are known there; and the finished kernel.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::rename::{self, Renamed};
use super::{ALIGNED, KernelSource, prelude, storage};
use crate::codegen::Slot;
use crate::desc::DataType;
use crate::program::*;

/// A value in the text: a variable or literal, and whether it is a vector over the lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The C expression; cheap to repeat.
    pub text: String,
    /// Whether it has a component for each lane.
    pub vector: bool,
}

/// Axis whose consecutive positions are the components of vectors.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    axis: AxisId,
    count: usize,
}

/// Writes the body of one kernel.
#[derive(Debug)]
pub struct Emitter<'p> {
    /// The program whose nodes are emitted; schedules may add nodes to their own copy before they start.
    pub(super) program: &'p Program,
    pub(super) wide: bool,
    lanes: Option<Lanes>,
    pub(super) used: BTreeSet<&'static str>,
    frames: Vec<HashMap<E, Value>>,
    axes: Vec<HashMap<AxisId, String>>,
    body: String,
    indent: usize,
    next: usize,
    pub(super) uses_double: bool,
    pub(super) streaming: Option<String>,
    pub(super) aligned: bool,
    pub(super) half: Option<usize>,
    pub(super) contracting: bool,
    pub(super) coarse: BTreeSet<E>,
    pub(super) room: HashMap<TensorId, E>,
    pub(super) ends: HashMap<TensorId, E>,
    pub(super) starts_whole: bool,
    private: BTreeSet<TensorId>,
    pub(super) params: BTreeSet<ParamId>,
    pub(super) scalars: BTreeSet<ScalarId>,
}

impl<'p> Emitter<'p> {
    /// An emitter; `wide` makes indices 64-bit.
    pub fn new(program: &'p Program, wide: bool) -> Emitter<'p> {
        Emitter {
            program,
            wide,
            lanes: None,
            used: BTreeSet::new(),
            frames: vec![HashMap::new()],
            axes: vec![HashMap::new()],
            body: String::new(),
            indent: 1,
            next: 0,
            uses_double: false,
            streaming: None,
            aligned: false,
            half: None,
            contracting: false,
            coarse: BTreeSet::new(),
            room: HashMap::new(),
            ends: HashMap::new(),
            starts_whole: false,
            private: BTreeSet::new(),
            params: BTreeSet::new(),
            scalars: BTreeSet::new(),
        }
    }

    /// From here on, values that depend on `axis` are vectors of `count` consecutive positions from where it is bound.
    pub fn set_lanes(&mut self, lanes: Option<(AxisId, usize)>) {
        self.lanes = lanes.map(|(axis, count)| Lanes { axis, count });
    }

    /// From here on, vectors of loads are every second element, from the first or the second on. All loads along the lanes are
    /// of bf16 side by side then, and sixteen lanes are set.
    pub fn set_half(&mut self, half: Option<usize>) {
        self.half = half;
    }

    /// The number of lanes, 1 without vectors.
    pub fn lane_count(&self) -> usize {
        self.lanes.map_or(1, |lanes| lanes.count)
    }

    pub(super) fn lane_axis(&self) -> Option<AxisId> {
        self.lanes.map(|lanes| lanes.axis)
    }

    /// The value a node has at a lane, as a scalar.
    pub(super) fn at_lane(&mut self, e: E, lane: usize) -> String {
        let Some(lanes) = self.lanes.take() else { return self.scalar(e) };
        let known = std::mem::take(&mut self.frames);
        let stays = |e: E, value: &Value| !value.vector && (lane == 0 || !self.program.depends_on(e, lanes.axis));
        self.frames = known
            .iter()
            .map(|frame| frame.iter().filter(|&(&e, v)| stays(e, v)).map(|(&e, v)| (e, v.clone())).collect())
            .collect();
        self.frames.push(HashMap::new());
        self.axes.push(HashMap::new());
        if lane > 0 {
            let first = self.axis_value(lanes.axis).text;
            self.axes.last_mut().expect("just pushed").insert(lanes.axis, format!("({first} + {lane})"));
        }
        let value = self.value(e);
        self.axes.pop();
        self.frames = known;
        self.lanes = Some(lanes);
        value.text
    }

    /// Writes one line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.body, "{:indent$}{}", "", text.as_ref(), indent = self.indent * 2);
    }

    /// Opens a block; values emitted in it are forgotten at its end.
    pub fn open(&mut self, head: impl AsRef<str>) {
        self.line(format!("{} {{", head.as_ref()).trim_start());
        self.indent += 1;
        self.frames.push(HashMap::new());
        self.axes.push(HashMap::new());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) {
        self.frames.pop();
        self.axes.pop();
        self.indent -= 1;
        self.line("}");
    }

    /// Makes an axis stand for an expression in the current block.
    pub fn bind(&mut self, axis: AxisId, text: impl Into<String>) {
        self.axes.last_mut().expect("a block is open").insert(axis, text.into());
        self.forget(axis);
    }

    /// Makes a node stand for an expression in the current block.
    pub fn define(&mut self, e: E, value: Value) {
        self.frames.last_mut().expect("a block is open").insert(e, value);
    }

    /// Forgets values that depend on an axis; they were emitted for another position.
    fn forget(&mut self, axis: AxisId) {
        for frame in &mut self.frames {
            frame.retain(|&e, _| !self.program.depends_on(e, axis));
        }
    }

    pub(super) fn depends(&self, e: E, axis: AxisId) -> bool {
        self.program.depends_on(e, axis)
    }

    /// A fresh variable name.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// The C type of indices.
    pub fn index_type(&self) -> &'static str {
        if self.wide { "long" } else { "int" }
    }

    fn scalar_type(&self, ty: Ty) -> &'static str {
        match ty {
            Ty::Bool | Ty::S32 => "int",
            Ty::Index => self.index_type(),
            Ty::F32 => "float",
            Ty::F64 => "double",
        }
    }

    /// The C type of a value.
    pub fn type_name(&self, ty: Ty, vector: bool) -> String {
        let scalar = self.scalar_type(ty);
        if vector { format!("{scalar}{}", self.lane_count()) } else { scalar.to_string() }
    }

    /// The value of a node, a vector if it depends on the lane axis.
    pub fn value(&mut self, e: E) -> Value {
        if let Some(known) = self.frames.iter().rev().find_map(|frame| frame.get(&e)) {
            return known.clone();
        }
        let value = self.emit(e);
        self.define(e, value.clone());
        value
    }

    /// A node's value as one number; it must not depend on the lane axis.
    pub fn scalar(&mut self, e: E) -> String {
        let value = self.value(e);
        debug_assert!(!value.vector, "a scalar was asked of a vector");
        value.text
    }

    /// A node's value as a vector, splat where it is a scalar and lanes are set.
    pub fn wide_value(&mut self, e: E) -> String {
        let value = self.value(e);
        self.splat(&value, self.program.ty(e))
    }

    pub(super) fn splat(&self, value: &Value, ty: Ty) -> String {
        if value.vector || self.lanes.is_none() {
            value.text.clone()
        } else {
            format!("({})({})", self.type_name(ty, true), value.text)
        }
    }

    pub(super) fn variable(&mut self, ty: Ty, vector: bool, text: String) -> Value {
        let name = self.fresh("v");
        self.uses_double |= ty == Ty::F64;
        let type_name = self.type_name(ty, vector);
        self.line(format!("const {type_name} {name} = {text};"));
        Value { text: name, vector }
    }

    pub(super) fn axis_value(&mut self, axis: AxisId) -> Value {
        let bound = self.axes.iter().rev().find_map(|frame| frame.get(&axis)).cloned();
        let name = bound.unwrap_or_else(|| panic!("axis {} is not bound", self.program.axis(axis).name));
        match self.lanes {
            Some(lanes) if lanes.axis == axis => {
                let steps: Vec<String> = (0..lanes.count).map(|lane| lane.to_string()).collect();
                let vector_type = self.type_name(Ty::Index, true);
                self.variable(Ty::Index, true, format!("({name}) + ({vector_type})({})", steps.join(", ")))
            }
            _ => Value { text: name, vector: false },
        }
    }

    /// Whether a node's value was emitted already and is still in reach.
    pub fn knows(&self, e: E) -> bool {
        self.frames.iter().any(|frame| frame.contains_key(&e))
    }

    /// From here on, whole vectors are stored past the caches where a condition holds.
    pub fn set_streaming(&mut self, condition: Option<String>) {
        self.streaming = condition;
    }

    /// From here on, products that are added to something are rounded with the sum, once.
    pub fn set_contracting(&mut self, contracting: bool) {
        self.contracting = contracting;
    }

    /// Tells of which functions vectors may have relative errors of 2^-14.
    pub fn set_coarse(&mut self, functions: BTreeSet<E>) {
        self.coarse = functions;
    }

    /// Tells whether all vectors are stored at multiples of their size, so that it need not be asked for each.
    pub fn set_aligned(&mut self, aligned: bool) {
        self.aligned = aligned;
    }

    /// Tells how many elements a tensor has, so that vectors may be read of which not all lanes are wanted.
    pub fn set_room(&mut self, tensor: TensorId, elements: E) {
        self.room.insert(tensor, elements);
    }

    /// Tells how many elements a tensor has of which vectors may reach beyond the last: lanes that do are zero.
    pub fn set_end(&mut self, tensor: TensorId, elements: E) {
        self.ends.insert(tensor, elements);
    }

    /// Tells whether vectors begin at multiples of their length along the axis of the lanes.
    pub fn set_whole_starts(&mut self, starts_whole: bool) {
        self.starts_whole = starts_whole;
    }

    /// Declares tensors as memory of the work-item, all zeros: pointers that may be exchanged.
    pub fn declare_private(&mut self, tensors: &[TensorId], elements: usize) {
        for &tensor in tensors {
            let (stored, name) = (storage(self.program.tensor(tensor).data_type), tensor_name(tensor));
            self.private.insert(tensor);
            self.line(format!("{stored} room_{name}[{elements}] {ALIGNED};"));
            self.line(format!("for (int i = 0; i < {elements}; ++i) room_{name}[i] = 0;"));
            self.line(format!("{stored} *{name} = room_{name};"));
        }
    }

    /// Where a tensor is: the qualifier of pointers to it.
    pub(super) fn space(&self, tensor: TensorId) -> &'static str {
        if self.private.contains(&tensor) { "__private" } else { "__global" }
    }

    /// The finished kernel. Tensors become arguments in the given order, then the parameters that were used.
    pub fn finish(self, entry: &str, attributes: &str, tensors: &[(TensorId, bool)]) -> KernelSource {
        let mut text = String::new();
        if self.uses_double || tensors.iter().any(|(t, _)| self.program.tensor(*t).data_type == DataType::F64) {
            text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
        }
        if self.used.contains("quantize_f16") || self.body.contains("quantize_f16") {
            text.push_str(
                "float quantize_f16(float x) { ushort h; vstore_half_rte(x, 0, (half *)&h); return vload_half(0, (half *)&h); }\n",
            );
        }
        text.push_str(&prelude::text(&self.used));
        let mut named = Renamed::new('t', tensors.iter().map(|&(tensor, written)| (tensor.index(), (tensor, written))));
        let mut params = Renamed::new('p', self.params.iter().map(|&param| (param.index(), param)));
        let mut scalars = Renamed::new('s', self.scalars.iter().map(|&scalar| (scalar.index(), scalar)));
        let body = rename::identifiers(&self.body, |name| {
            named.rename(name).or_else(|| params.rename(name)).or_else(|| scalars.rename(name))
        });
        let mut arguments = Vec::new();
        for (position, &(tensor, written)) in named.order.iter().enumerate() {
            let qualifier = if written { "" } else { "const " };
            let stored = storage(self.program.tensor(tensor).data_type);
            arguments.push(format!("__global {qualifier}{stored} *t{position}"));
        }
        let mut slots = Vec::new();
        for (position, &param) in params.order.iter().enumerate() {
            arguments.push(format!("const {} p{position}", self.index_type()));
            slots.push(Slot::Integer { param, wide: self.wide });
        }
        for (position, &scalar) in scalars.order.iter().enumerate() {
            arguments.push(format!("const float s{position}"));
            slots.push(Slot::Float(scalar));
        }
        let _ = write!(text, "{attributes}__kernel void {entry}({}) {{\n{body}}}\n", arguments.join(", "));
        let tensors = named.order.into_iter().map(|(tensor, _)| tensor).collect();
        KernelSource { entry: entry.to_string(), text, tensors, slots }
    }
}

/// Names of tensors are unique by id.
pub(super) fn tensor_name(tensor: TensorId) -> String {
    format!("t{}", tensor.index())
}
