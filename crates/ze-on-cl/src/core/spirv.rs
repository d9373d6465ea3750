//! What a module of SPIR-V says about itself that OpenCL does not tell.

use std::collections::HashMap;

/// The words of a module after its header.
const HEADER_WORDS: usize = 5;

/// The numbers of the specification.
const OP_TYPE_BOOL: u32 = 20;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const SPEC_ID: u32 = 1;
const LINKAGE_ATTRIBUTES: u32 = 41;
const EXPORT: u32 = 0;
const IMPORT: u32 = 1;

fn words(code: &[u8]) -> Vec<u32> {
    code.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The instructions: numbers of operations, and their operands. Ends where the words make no sense.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (count, operation) = ((first >> 16) as usize, first & 0xffff);
        let (instruction, after) = rest.split_at_checked(count)?;
        rest = after;
        Some((operation, instruction.get(1..)?))
    })
}

/// What a module has to do with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linkage {
    /// It uses functions or variables that another one has to define.
    pub imports: bool,
    /// It defines some for others.
    pub exports: bool,
}

pub(crate) fn linkage(code: &[u8]) -> Linkage {
    // These every compiler brings along.
    let built_in = [&b"__spirv_"[..], b"__devicelib_", b"__assert_fail", b"__intel_"];
    let mut linkage = Linkage::default();
    for (operation, operands) in instructions(&words(code)) {
        let (OP_DECORATE, [_, LINKAGE_ATTRIBUTES, name @ .., kind]) = (operation, operands) else { continue };
        let name: Vec<u8> = name.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
        if !built_in.iter().any(|prefix| name.starts_with(prefix)) {
            linkage.imports |= *kind == IMPORT;
            linkage.exports |= *kind == EXPORT;
        }
    }
    linkage
}

/// The sizes in bytes of the specialization constants, by their numbers.
pub(crate) fn constant_sizes(code: &[u8]) -> HashMap<u32, usize> {
    let words = words(code);
    let (mut numbers, mut types, mut constants) = (HashMap::new(), HashMap::new(), HashMap::new());
    for (operation, operands) in instructions(&words) {
        match (operation, operands) {
            (OP_DECORATE, [target, SPEC_ID, number]) => drop(numbers.insert(*target, *number)),
            (OP_TYPE_BOOL, [id]) => drop(types.insert(*id, 1)),
            (OP_TYPE_INT | OP_TYPE_FLOAT, [id, bits, ..]) => drop(types.insert(*id, *bits as usize / 8)),
            (OP_SPEC_CONSTANT | OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE, [of, id, ..]) => {
                constants.insert(*id, types.get(of).copied());
            }
            _ => {}
        }
    }
    numbers.into_iter().filter_map(|(id, number)| Some((number, (*constants.get(&id)?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(operation: u32, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | operation];
        words.extend(operands);
        words
    }

    fn module(instructions: &[Vec<u32>]) -> Vec<u8> {
        let header = vec![0x0723_0203, 0x0001_0000, 0, 8, 0];
        let words = std::iter::once(&header).chain(instructions).flatten();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    fn decorated(name: &str, kind: u32) -> Vec<u8> {
        let mut text = name.as_bytes().to_vec();
        text.resize(name.len() / 4 * 4 + 4, 0);
        let mut operands = vec![7, LINKAGE_ATTRIBUTES];
        operands.extend(words(&text));
        operands.push(kind);
        module(&[instruction(17, &[6]), instruction(OP_DECORATE, &operands)])
    }

    #[test]
    fn imports_and_exports_are_found_but_not_the_compilers_own() {
        let (importer, exporter) = (linkage(&decorated("helper", IMPORT)), linkage(&decorated("helper", EXPORT)));
        assert_eq!(importer, Linkage { imports: true, exports: false });
        assert_eq!(exporter, Linkage { imports: false, exports: true });
        assert_eq!(linkage(&decorated("__spirv_BuiltInGlobalInvocationId", IMPORT)), Linkage::default());
        assert_eq!(linkage(b"no words"), Linkage::default());
    }

    #[test]
    fn constants_have_the_sizes_of_their_types() {
        let code = module(&[
            instruction(OP_DECORATE, &[10, SPEC_ID, 0]),
            instruction(OP_DECORATE, &[11, SPEC_ID, 3]),
            instruction(OP_TYPE_INT, &[1, 32, 0]),
            instruction(OP_TYPE_FLOAT, &[2, 64]),
            instruction(OP_SPEC_CONSTANT, &[1, 10, 5]),
            instruction(OP_SPEC_CONSTANT, &[2, 11, 0, 0]),
        ]);
        assert_eq!(constant_sizes(&code), HashMap::from([(0, 4), (3, 8)]));
    }

    #[test]
    fn a_module_that_is_cut_off_ends_there() {
        let mut code = decorated("helper", IMPORT);
        code.truncate(code.len() - 4);
        assert_eq!(linkage(&code), Linkage::default());
    }
}
