//! Where the processor gives up on an instruction: a handler of the signal for that, in place before `main` runs.

use std::cell::RefCell;
use std::ptr;

use libc::{c_int, c_void, siginfo_t, ucontext_t};

use crate::decode::{Address, Operation, decode};
use crate::tiles::{Refused, Tiles};

thread_local! {
    static REGISTERS: RefCell<Tiles> = const { RefCell::new(Tiles::new()) };
}

/// The general registers in the order of their numbers in instructions.
const GENERAL: [c_int; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

#[used]
// SAFETY: the section holds functions without arguments that run once, when the library is loaded.
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = install;

extern "C" fn install() {
    // SAFETY: an action is plain data, for which zeros are a value; the handler keeps to what the signal allows, as it is
    // raised by one instruction, in code that holds no lock of this library.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_illegal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        set_action(libc::SIGILL, &action, ptr::null_mut());
    }
}

type SetAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

/// Stands in for the C library's function: compilers in OpenCL runtimes handle this signal too, to report their own faults.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(
    signal: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    let action = if signal == libc::SIGILL { ptr::null() } else { action };
    // SAFETY: the caller's promise.
    unsafe { set_action(signal, action, before) }
}

/// The C library's `sigaction`.
unsafe fn set_action(signal: c_int, action: *const libc::sigaction, before: *mut libc::sigaction) -> c_int {
    // SAFETY: a terminated name, and the type that goes with it; the caller's promise is the function's.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, c"sigaction".as_ptr());
        match std::mem::transmute::<*mut c_void, Option<SetAction>>(next) {
            Some(next) => next(signal, action, before),
            None => -1,
        }
    }
}

extern "C" fn on_illegal(signal: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands in the state of the thread, and takes it back when the handler returns.
    let context = unsafe { &mut *context.cast::<ucontext_t>() };
    let registers = &mut context.uc_mcontext.gregs;
    let at = registers[libc::REG_RIP as usize] as usize;
    // SAFETY: an instruction is there. It may end where a page ends, but code is followed by padding or other code.
    let code: [u8; 15] = unsafe { ptr::read_unaligned(at as *const [u8; 15]) };
    let general = |number: usize| registers[GENERAL[number] as usize] as usize;
    match decode(&code) {
        Some((operation, length)) => {
            if let Err(why) = execute(operation, &general) {
                eprintln!("AMX in software: {operation:?} is refused: {why}");
                std::process::abort();
            }
            registers[libc::REG_RIP as usize] += length as i64;
        }
        None => {
            // SAFETY: without a handler the instruction ends the process, as it would without this library.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

fn execute(operation: Operation, general: &dyn Fn(usize) -> usize) -> Result<(), Refused> {
    let base = |address: Address| general(address.base).wrapping_add(address.displacement as usize);
    let whole = |address: Address| {
        base(address).wrapping_add(address.index.map_or(0, |(number, shift)| general(number) << shift))
    };
    let row = |address: Address, number: usize| {
        let distance = address.index.map_or(0, |(register, shift)| general(register) << shift);
        base(address).wrapping_add(distance.wrapping_mul(number))
    };
    REGISTERS.with_borrow_mut(|tiles| match operation {
        Operation::LoadShapes(address) => {
            // SAFETY: the instruction reads 64 bytes there; where it must not, this program ends as it would.
            tiles.take_shapes(&unsafe { ptr::read_unaligned(whole(address) as *const [u8; 64]) })
        }
        Operation::StoreShapes(address) => {
            // SAFETY: as above, for writing.
            unsafe { ptr::write_unaligned(whole(address) as *mut [u8; 64], tiles.shapes()) };
            Ok(())
        }
        Operation::Release => {
            tiles.release();
            Ok(())
        }
        Operation::Zero(tile) => tiles.zero(tile),
        Operation::Load(tile, address) => tiles.load(tile, |number, to| {
            // SAFETY: the instruction reads these bytes of this row.
            unsafe { ptr::copy_nonoverlapping(row(address, number) as *const u8, to.as_mut_ptr(), to.len()) };
        }),
        Operation::Store(tile, address) => tiles.store(tile, |number, from| {
            // SAFETY: the instruction writes these bytes of this row.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), row(address, number) as *mut u8, from.len()) };
        }),
        Operation::Multiply { sums, rows, columns, factors } => tiles.multiply(sums, rows, columns, factors),
    })
}
