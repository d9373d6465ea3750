//! Convolutions by windows of unusual shapes, on every engine.
//!
//! Points of windows with a single column lie a whole line of the image apart, which may be as far as the next step along a line: then two of
//! them read one place, and padding counts for each by itself. Wide windows of depthwise convolutions share what they read along a line, of
//! which tiles of two sizes make up any length.

mod support;

use oxidnn::desc::DataType::{Bf16, F16, F32, S8, S32, U8};
use oxidnn::desc::EngineKind;

use support::window::Case;
use support::{engines, tried};

/// All passes of some cases give what loops do, in floats, pairs of bf16 and bytes.
fn check<const N: usize>(cases: [Case; N]) {
    for engine in engines() {
        for case in tried(cases) {
            for types in [[F32; 3], [Bf16, Bf16, F32], [U8, S8, S32]] {
                case.check(&engine, types, true);
            }
        }
    }
}

#[test]
fn padding_counts_for_each_point_of_a_thin_window_where_two_read_one_place() {
    let tall = Case {
        groups: 32,
        channels: [1; 2],
        image: [1, 5, 16],
        kernel: [1, 3, 1],
        strides: [1; 3],
        padding: [0, 1, 0],
        result: [1, 5, 16],
    };
    // Here the next step along a line leads to the next line.
    let meeting = Case { groups: 2, channels: [2; 2], image: [1, 4, 2], strides: [1, 1, 2], result: [1, 5, 2], ..tall };
    let cases = [
        tall,
        Case { image: [1, 5, 4], result: [1, 5, 8], ..tall },
        Case { image: [8, 1, 4], kernel: [3, 3, 1], padding: [1, 1, 0], result: [8, 1, 8], ..tall },
        Case { groups: 3, channels: [16; 2], image: [1, 5, 4], result: [1, 5, 8], ..tall },
        meeting,
        Case { groups: 8, channels: [4; 2], ..meeting },
        Case { groups: 3, channels: [8; 2], ..meeting },
        Case { groups: 1, channels: [32; 2], ..meeting },
    ];
    for engine in engines() {
        for case in cases {
            for types in [[F32; 3], [Bf16, Bf16, F32], [F16, F16, F32], [U8, S8, S32], [S8, S8, S32]] {
                case.check(&engine, types, true);
            }
        }
    }
}

#[test]
fn the_only_column_of_an_image_counts_for_one_point_of_each_window() {
    let column = Case {
        groups: 32,
        channels: [1; 2],
        image: [1, 8, 1],
        kernel: [1, 1, 4],
        strides: [1; 3],
        padding: [0, 0, 3],
        result: [1, 8, 4],
    };
    let cases = [
        column,
        Case { image: [1, 8, 4], kernel: [1, 4, 4], padding: [0, 3, 3], result: [1, 11, 7], ..column },
        Case { image: [1, 1, 1], kernel: [1, 3, 7], padding: [0, 2, 6], result: [1, 3, 7], ..column },
        Case {
            image: [1, 8, 1],
            kernel: [1, 3, 3],
            padding: [0, 1, 2],
            strides: [1, 1, 2],
            result: [1, 8, 2],
            ..column
        },
        Case { image: [1, 1, 8], kernel: [1, 4, 1], padding: [0, 3, 0], result: [1, 4, 8], ..column },
        Case { groups: 1, channels: [16; 2], ..column },
    ];
    check(cases);
}

#[test]
fn wide_windows_slide_along_lines_of_any_length() {
    let padded = Case {
        groups: 32,
        channels: [1; 2],
        image: [1, 6, 17],
        kernel: [1, 5, 7],
        strides: [1; 3],
        padding: [0, 2, 3],
        result: [1, 6, 17],
    };
    let bare = Case { padding: [0; 3], result: [1, 2, 11], ..padded };
    let cases = [
        padded,
        Case { image: [1, 6, 37], result: [1, 6, 37], ..padded },
        bare,
        Case { image: [1, 7, 35], result: [1, 3, 29], ..bare },
        Case { image: [1, 9, 9], result: [1, 5, 3], ..bare },
        Case { strides: [1, 2, 2], result: [1, 3, 9], ..padded },
    ];
    check(cases);
}

/// Each phase of a stride has a window of its own, of fewer points for some of them. Images whose sides are no multiple of the stride are
/// cut in parts where there is enough to compute.
#[test]
fn windows_with_strides_have_gradients_in_every_phase() {
    let halved = Case {
        groups: 32,
        channels: [1; 2],
        image: [1, 8, 12],
        kernel: [1, 5, 5],
        strides: [1, 2, 2],
        padding: [0, 2, 2],
        result: [1, 4, 6],
    };
    let cases = [
        halved,
        Case { kernel: [1, 3, 3], padding: [0, 1, 1], ..halved },
        Case { kernel: [1, 2, 3], padding: [0, 0, 1], ..halved },
        Case { strides: [1, 3, 3], image: [1, 9, 12], padding: [0, 1, 1], result: [1, 3, 4], ..halved },
        Case { strides: [1, 3, 3], image: [1, 9, 12], kernel: [1, 2, 2], padding: [0; 3], result: [1, 3, 4], ..halved },
        Case { kernel: [1, 7, 7], padding: [0, 3, 3], ..halved },
    ];
    check(cases);
    let uneven = Case { image: [1, 53, 53], result: [1, 27, 27], ..halved };
    for engine in engines().iter().filter(|engine| engine.kind() == EngineKind::Gpu) {
        uneven.check(engine, [F32; 3], true);
    }
}
