//! AMX in software: with this library preloaded, a processor that does not know AMX's instructions still executes them.
//!
//! Kernels that multiply tiles can so be tested on any x86-64 machine, and more strictly than on one that has the
//! instructions: each instruction that the processor would refuse, and each use of a tile that nobody described, ends the
//! program with a message. Speed is not a goal: an instruction costs a signal.
//!
//! `decode` reads an instruction, `tiles` does what it says, and `trap` brings both to where the processor gives up.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod decode;
mod tiles;
mod trap;
