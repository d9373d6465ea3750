//! Convolutions by windows with a single column, on every engine. Their points lie a whole line of the image apart, which may be as far as
//! the next step along a line: then two of them read one place, and padding counts for each by itself.

mod support;

use oxidnn::desc::DataType::{Bf16, F16, F32, S8, S32, U8};

use support::engines;
use support::window::Case;

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
