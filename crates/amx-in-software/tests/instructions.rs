//! The instructions themselves, whether the processor has them or not.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::arch::asm;

// Its handler is in place as soon as it is linked.
use amx_in_software as _;

#[test]
fn products_come_out_of_real_instructions() {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    // SAFETY: two numbers; where the processor has tiles they have to be asked for, else nothing happens.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, 18) };
    let mut shapes = [0u8; 64];
    shapes[0] = 1;
    // Five rows of eight groups, by seven columns.
    for (register, (rows, bytes)) in [(5, 28), (5, 32), (8, 28)].into_iter().enumerate() {
        (shapes[16 + 2 * register], shapes[48 + register]) = (bytes, rows);
    }
    let rows: Vec<u8> = (0..5 * 32).map(|i| (i * 7 % 251) as u8).collect();
    let columns: Vec<i8> = (0..8 * 28).map(|i| (i * 5 % 253) as u8 as i8).collect();
    let mut sums = [[0i32; 7]; 5];
    // SAFETY: pointers lead to what the shapes describe; rows lie 32 and 28 bytes apart.
    unsafe {
        asm!(
            "ldtilecfg [{shapes}]",
            "tileloadd tmm1, [{a} + {of_a}]",
            "tileloadd tmm2, [{b} + {of_b}]",
            "tdpbusd tmm0, tmm1, tmm2",
            "tilestored [{sums} + {of_b}], tmm0",
            "tilerelease",
            shapes = in(reg) shapes.as_ptr(),
            a = in(reg) rows.as_ptr(),
            b = in(reg) columns.as_ptr(),
            sums = in(reg) sums.as_mut_ptr(),
            of_a = in(reg) 32usize,
            of_b = in(reg) 28usize,
        );
    }
    for (r, found) in sums.iter().enumerate() {
        for (c, &found) in found.iter().enumerate() {
            let product = |k: usize| i32::from(rows[r * 32 + k]) * i32::from(columns[k / 4 * 28 + c * 4 + k % 4]);
            assert_eq!(found, (0..32).map(product).sum::<i32>(), "row {r}, column {c}");
        }
    }
}
