//! A program with what is in its tensors, and ways to run it.

use std::cell::RefCell;

use super::super::*;
use super::oracle;
use crate::codegen::{ParamBlock, float};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::cpu::Buffer;

/// A program under construction.
#[derive(Default)]
pub struct Case {
    pub b: Builder,
    contents: RefCell<Vec<Vec<u8>>>,
}

impl Case {
    pub fn new() -> Case {
        Case::default()
    }

    pub fn tensor(&self, data_type: DataType, elements: usize, value: impl Fn(usize) -> f64) -> TensorId {
        let mut bytes = vec![0; data_type.bytes(elements)];
        (0..elements).for_each(|i| oracle::put(data_type, &mut bytes, i, float::encode(data_type, value(i))));
        self.add(data_type, bytes)
    }

    /// A tensor to write to; its elements are of all one bits.
    pub fn output(&self, data_type: DataType, elements: usize) -> TensorId {
        self.add(data_type, vec![0xff; data_type.bytes(elements)])
    }

    fn add(&self, data_type: DataType, bytes: Vec<u8>) -> TensorId {
        let mut contents = self.contents.borrow_mut();
        contents.push(bytes);
        self.b.tensor("t", data_type, Binding::Arg { arg: contents.len() as i32, handle: 0 })
    }

    /// An axis whose extent is a parameter, and the position along it.
    pub fn axis(&self, extent: i64) -> (AxisId, Expr<'_>) {
        let axis = self.b.axis("i", self.b.param(extent));
        (axis, self.b.at(axis))
    }

    /// `sum of index * stride`, with strides as parameters unless they are one.
    pub fn offset<'b>(&'b self, terms: &[(Expr<'b>, i64)]) -> Expr<'b> {
        let term = |&(index, stride): &(Expr<'b>, i64)| if stride == 1 { index } else { index * self.b.param(stride) };
        terms.iter().map(term).reduce(|sum, term| sum + term).unwrap_or(self.b.index(0))
    }

    pub fn stage(&self, axes: &[AxisId], bounds: Option<Expr<'_>>, stores: &[(TensorId, Expr<'_>, Expr<'_>)]) {
        let store = |&(tensor, offset, value): &(TensorId, Expr<'_>, Expr<'_>)| Store {
            tensor,
            offset: offset.node(),
            value: value.node(),
        };
        self.b.stage("test", axes.to_vec(), bounds, stores.iter().map(store).collect());
    }

    pub fn finish(self) -> Ready {
        Ready { p: self.b.finish(), contents: self.contents.into_inner() }
    }

    /// See [`Ready::check`].
    pub fn check(self, tolerance: f64) -> Vec<f64> {
        self.finish().check(tolerance)
    }
}

/// A finished program of one stage, and what is in its tensors.
pub struct Ready {
    pub p: Program,
    pub contents: Vec<Vec<u8>>,
}

impl Ready {
    fn stage(&self) -> &Stage {
        &self.p.stages[0]
    }

    pub fn kernel(&self) -> Box<dyn HostKernel> {
        kernel(&self.p, self.stage())
    }

    /// Runs a kernel as long as `again` says so; the contents of all tensors afterwards.
    pub fn run_while(&self, kernel: &dyn HostKernel, mut again: impl FnMut() -> bool) -> Vec<Vec<u8>> {
        let buffer = |bytes: &Vec<u8>| {
            let buffer = Buffer::allocate(bytes.len()).unwrap();
            buffer.memory().write(0, bytes);
            buffer
        };
        let buffers: Vec<Buffer> = self.contents.iter().map(buffer).collect();
        let tensors = self.p.stage_tensors(self.stage());
        let memories: Vec<&dyn HostMemory> =
            tensors.iter().map(|(tensor, _)| buffers[tensor.index()].memory()).collect();
        let params = ParamBlock::new(&self.p);
        while again() {
            (0..kernel.parts()).rev().for_each(|part| kernel.run(part, &memories, params.bytes()));
        }
        let read = |buffer: &Buffer| {
            let mut bytes = vec![0; buffer.size()];
            buffer.memory().read(0, &mut bytes);
            bytes
        };
        buffers.iter().map(read).collect()
    }

    /// Runs a kernel; the contents of all tensors afterwards.
    pub fn run(&self, kernel: &dyn HostKernel) -> Vec<Vec<u8>> {
        let mut runs = 0..1;
        self.run_while(kernel, || runs.next().is_some())
    }

    /// Kernels for every choice of lanes and some numbers of parts.
    fn kernels(&self) -> Vec<(String, Box<dyn HostKernel>)> {
        let mut program = self.p.clone();
        let mut nodes = Dependences::new(&mut program);
        let mut choices: Vec<LaneChoice> = nodes.lane_axes(self.stage()).into_iter().map(LaneChoice::Domain).collect();
        choices.push(LaneChoice::Reductions);
        let mut kernels = vec![("the library's choice".to_string(), self.kernel())];
        let packed = self.stage().stores.iter().any(|store| self.p.tensor(store.tensor).data_type.is_sub_byte());
        for choice in choices {
            for parts in if packed { 1..=1 } else { 1..=5 }.step_by(4) {
                let plan = build::plan(&mut nodes, self.stage(), choice);
                kernels.push((format!("{choice:?} in {parts}"), Box::new(HostStage { name: "test", plan, parts })));
            }
        }
        kernels
    }

    fn values(&self, tensor: usize, bytes: &[u8]) -> Vec<f64> {
        let data_type = self.p.tensors[tensor].data_type;
        let elements = bytes.len() * 8 / data_type.bits() as usize;
        (0..elements).map(|i| float::decode(data_type, oracle::get(data_type, bytes, i))).collect()
    }

    /// Checks that every kernel does what the oracle does; `tolerance` is relative. The values of the first output.
    pub fn check(&self, tolerance: f64) -> Vec<f64> {
        let expected = oracle::run(&self.p, self.stage(), &self.contents);
        for (name, kernel) in self.kernels() {
            let got = self.run(&*kernel);
            for (tensor, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let pairs = self.values(tensor, got).into_iter().zip(self.values(tensor, expected));
                for (i, (got, expected)) in pairs.enumerate() {
                    let near = (got - expected).abs() <= tolerance * expected.abs().max(1.0);
                    assert!(
                        near || got == expected || got.is_nan() && expected.is_nan(),
                        "{name}: tensor {tensor}[{i}] is {got}, not {expected}\n{}",
                        self.p
                    );
                }
            }
        }
        let output = self.stage().stores[0].tensor.index();
        self.values(output, &expected[output])
    }
}
