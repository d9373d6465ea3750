//! Tensors whose elements lie further apart than 32 bits can tell. Their memory is made up: only what is touched exists.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use oxidnn::desc::*;
use oxidnn::runtime::Buffer;
use oxidnn::runtime::cpu::{self, HostMemory};
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

/// Bytes by offset; what was never written cannot be read.
#[derive(Debug)]
struct Sparse {
    size: usize,
    bytes: Mutex<HashMap<usize, u8>>,
}

impl HostMemory for Sparse {
    fn size(&self) -> usize {
        self.size
    }

    fn address(&self) -> *mut u8 {
        std::ptr::null_mut()
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        let bytes = self.bytes.lock().unwrap();
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = *bytes.get(&(offset + i)).unwrap_or_else(|| panic!("byte {} was read", offset + i));
        }
    }

    fn write(&self, offset: usize, data: &[u8]) {
        assert!(offset + data.len() <= self.size, "byte {offset} was written");
        self.bytes.lock().unwrap().extend(data.iter().enumerate().map(|(i, byte)| (offset + i, *byte)));
    }
}

/// A tensor, and what is in its memory.
struct Tensor {
    memory: Memory,
    bytes: Arc<Sparse>,
}

fn positions(dims: &[i64]) -> Vec<Vec<i64>> {
    let all = dims.iter().product::<i64>();
    let at = |mut i: i64| {
        let mut index: Vec<i64> = dims
            .iter()
            .rev()
            .map(|dim| {
                let d = i % dim;
                i /= dim;
                d
            })
            .collect();
        index.reverse();
        index
    };
    (0..all).map(at).collect()
}

impl Tensor {
    fn new(engine: &Engine, md: &MemoryDesc, value: impl Fn(usize) -> Option<f32>) -> Tensor {
        let bytes = Arc::new(Sparse { size: md.size(), bytes: Default::default() });
        for (i, at) in positions(md.dims()).iter().enumerate() {
            if let Some(value) = value(i) {
                bytes.write(md.offset_of(at) as usize * 4, &value.to_ne_bytes());
            }
        }
        let buffer = Buffer::Cpu(cpu::Buffer::new(bytes.clone()));
        Tensor { memory: Memory::from_buffer(engine, md, buffer).unwrap(), bytes }
    }

    fn values(&self) -> Vec<f32> {
        let md = self.memory.desc();
        let read = |at: &Vec<i64>| {
            let mut bytes = [0; 4];
            self.bytes.read(md.offset_of(at) as usize * 4, &mut bytes);
            f32::from_ne_bytes(bytes)
        };
        positions(md.dims()).iter().map(read).collect()
    }
}

fn near(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
}

/// Strides of odd sizes around 2 to the power of 31, from the first dimension to the last.
fn far(dims: &[i64]) -> MemoryDesc {
    let mut strides = vec![1; dims.len()];
    let mut stride = (1i64 << 30) + 12_345;
    for (d, dim) in dims.iter().enumerate().rev().skip(1) {
        strides[d] = stride;
        stride = stride * dim + 77;
    }
    MemoryDesc::with_strides(dims, DataType::F32, Some(&strides)).unwrap()
}

/// Where the elements of a tensor of some dimensions lie.
type Layout<'a> = &'a dyn Fn(&[i64]) -> MemoryDesc;

/// An operation on tensors of some layout.
type Make<'a> = dyn Fn(Layout<'_>) -> Op + 'a;

/// The results of an operation that `make` makes with a layout for each tensor.
fn results(make: &Make<'_>, layout: Layout<'_>) -> Vec<f32> {
    let engine = Engine::new(EngineKind::Cpu, 0).unwrap();
    let desc = PrimitiveDesc::new(&engine, make(layout), &Attr::new()).unwrap();
    let tensor = |desc: &ArgDesc| {
        let value = |i: usize| (desc.role == Role::Input).then_some(((i * 7 + 3) % 23) as f32 / 4.0 - 2.5);
        (desc.arg, desc.role, Tensor::new(&engine, &desc.md, value))
    };
    let tensors: Vec<(i32, Role, Tensor)> = desc.args().iter().map(tensor).collect();
    let args: Vec<(i32, &Memory)> = tensors.iter().map(|(arg, _, tensor)| (*arg, &tensor.memory)).collect();
    let stream = Stream::new(&engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    tensors.iter().filter(|(_, role, _)| *role == Role::Output).flat_map(|(.., tensor)| tensor.values()).collect()
}

#[test]
fn elements_past_two_to_the_31_are_found() {
    let training = PropKind::ForwardTraining;
    let both = |value: i64| Dims::from([value, value]);
    let window = |padding: i64| Window {
        strides: both(1),
        dilations: both(0),
        padding_l: both(padding),
        padding_r: both(padding),
    };
    let image = [2, 3, 4, 5];
    let cases: Vec<(&str, Box<Make<'_>>)> = vec![
        (
            "eltwise",
            Box::new(|md| {
                let md = md(&image);
                Eltwise::forward(training, AlgKind::EltwiseTanh, &md, &md, 0.0, 0.0).unwrap().into()
            }),
        ),
        ("reorder", Box::new(|md| Reorder::new(&md(&image), &near(&image)).unwrap().into())),
        ("matmul", Box::new(|md| Matmul::new(&md(&[4, 6]), &md(&[6, 5]), None, &md(&[4, 5])).unwrap().into())),
        (
            "convolution",
            Box::new(move |md| {
                let (src, weights, dst) = (md(&image), md(&[6, 3, 3, 3]), md(&[2, 6, 4, 5]));
                let alg = AlgKind::ConvolutionDirect;
                Convolution::new(training, alg, &src, &weights, None, &dst, window(1)).unwrap().into()
            }),
        ),
        (
            "convolution by data",
            Box::new(move |md| {
                let (src, weights, dst) = (md(&image), md(&[6, 3, 3, 3]), md(&[2, 6, 4, 5]));
                let alg = AlgKind::ConvolutionDirect;
                Convolution::new(PropKind::BackwardData, alg, &src, &weights, None, &dst, window(1)).unwrap().into()
            }),
        ),
        (
            "softmax",
            Box::new(|md| {
                let md = md(&image);
                Softmax::forward(training, AlgKind::SoftmaxAccurate, &md, &md, 1).unwrap().into()
            }),
        ),
        (
            "reduction",
            Box::new(|md| {
                Reduction::new(AlgKind::ReductionSum, &md(&image), &md(&[2, 1, 4, 1]), 0.0, 0.0).unwrap().into()
            }),
        ),
        ("shuffle", Box::new(|md| Shuffle::forward(training, &md(&[4, 6]), &md(&[4, 6]), 1, 2).unwrap().into())),
    ];
    for (name, make) in &cases {
        assert!(far(&image).span().unwrap() > 1 << 31);
        assert_eq!(results(&**make, &far), results(&**make, &near), "{name}");
    }
}
