//! Convolutions of images whose channels lie in planes, on every engine, in every pass. CPU-type devices compute them with channels side by side.

mod support;

use oxidnn::desc::DataType::{Bf16, F32, S8, S32, U8};

use support::window::{Case, Layouts};
use support::{engines, tried};

#[test]
fn channels_may_lie_in_planes() {
    let square = Case {
        groups: 1,
        channels: [24, 40],
        image: [1, 7, 9],
        kernel: [1, 3, 3],
        strides: [1; 3],
        padding: [0, 1, 1],
        result: [1, 7, 9],
    };
    let cases = [
        square,
        Case { channels: [3, 20], strides: [1, 2, 2], result: [1, 4, 5], ..square },
        Case { channels: [17, 3], ..square },
        Case { groups: 20, channels: [1; 2], ..square },
        Case { groups: 3, channels: [1; 2], ..square },
        Case { groups: 4, channels: [8; 2], ..square },
        Case { groups: 16, channels: [4; 2], ..square },
        Case { image: [5, 1, 9], kernel: [3, 1, 3], padding: [1, 0, 1], result: [5, 1, 9], ..square },
        Case { kernel: [1; 3], strides: [1, 2, 2], padding: [0; 3], result: [1, 4, 5], ..square },
        Case { kernel: [1; 3], padding: [0; 3], ..square },
    ];
    for engine in engines() {
        for case in tried(cases) {
            for (types, open) in [([F32; 3], true), ([F32; 3], false), ([Bf16, Bf16, F32], true), ([U8, S8, S32], true)]
            {
                case.check_in(&engine, types, Layouts { images: "abcde", open });
            }
        }
        // Few channels are taken apart.
        Case { groups: 3, channels: [1; 2], ..square }.check(&engine, [F32; 3], true);
    }
}
