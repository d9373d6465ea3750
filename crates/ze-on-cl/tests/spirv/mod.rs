//! Small modules of SPIR-V, put together word by word.

/// Words of a module; ids are numbered by the caller.
struct Module(Vec<u32>);

impl Module {
    fn new(bound: u32) -> Module {
        Module(vec![0x0723_0203, 0x0001_0000, 0, bound, 0])
    }

    fn op(&mut self, operation: u32, operands: &[u32]) -> &mut Module {
        self.0.push((operands.len() as u32 + 1) << 16 | operation);
        self.0.extend(operands);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// A text as operands: terminated, filled up to whole words.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

const KERNEL: u32 = 6;
const ADDRESSES: u32 = 4;
const LINKAGE: u32 = 5;

fn joined(parts: &[&[u32]]) -> Vec<u32> {
    parts.concat()
}

/// Capabilities and the memory model of 64-bit OpenCL.
fn start(module: &mut Module, links: bool) {
    module.op(17, &[KERNEL]).op(17, &[ADDRESSES]);
    if links {
        module.op(17, &[LINKAGE]);
    }
    module.op(14, &[2, 2]);
}

/// `kernel void k(global uint *p) { *p = C; }` where C is specialization constant 0.
pub fn constant_kernel(default: u32) -> Vec<u8> {
    let mut module = Module::new(9);
    start(&mut module, false);
    module.op(15, &joined(&[&[6, 1], &text("k")]));
    module.op(71, &[2, 1, 0]);
    module.op(19, &[3]).op(21, &[4, 32, 0]).op(32, &[5, 5, 4]).op(50, &[4, 2, default]).op(33, &[6, 3, 5]);
    module.op(54, &[3, 1, 0, 6]).op(55, &[5, 7]).op(248, &[8]).op(62, &[7, 2, 2, 4]).op(253, &[]).op(56, &[]);
    module.bytes()
}

/// `uint NAME(void); kernel void k(global uint *p) { *p = NAME(); }`
pub fn importing_kernel(name: &str) -> Vec<u8> {
    let mut module = Module::new(11);
    start(&mut module, true);
    module.op(15, &joined(&[&[6, 1], &text("k")]));
    module.op(71, &joined(&[&[2, 41], &text(name), &[1]]));
    module.op(19, &[3]).op(21, &[4, 32, 0]).op(32, &[5, 5, 4]).op(33, &[6, 3, 5]).op(33, &[9, 4]);
    module.op(54, &[4, 2, 0, 9]).op(56, &[]);
    module.op(54, &[3, 1, 0, 6]).op(55, &[5, 7]).op(248, &[8]).op(57, &[4, 10, 2]);
    module.op(62, &[7, 10, 2, 4]).op(253, &[]).op(56, &[]);
    module.bytes()
}

/// `uint NAME(void) { return VALUE; }`
pub fn exporting_library(name: &str, value: u32) -> Vec<u8> {
    let mut module = Module::new(6);
    start(&mut module, true);
    module.op(71, &joined(&[&[1, 41], &text(name), &[0]]));
    module.op(21, &[2, 32, 0]).op(43, &[2, 3, value]).op(33, &[4, 2]);
    module.op(54, &[2, 1, 0, 4]).op(248, &[5]).op(254, &[3]).op(56, &[]);
    module.bytes()
}
