//! The numbers of execution arguments.
//!
//! An argument that an attribute adds has the attribute's number combined with the number of the argument it belongs to:
//! the scales of the weights are `ATTR_SCALES | WEIGHTS`, the second input of the third post-op is
//! `post_op(2) | SRC_1`.

#![allow(missing_docs)]

pub const UNDEF: i32 = 0;

pub const SRC: i32 = SRC_0;
pub const SRC_0: i32 = 1;
pub const SRC_1: i32 = 2;
pub const SRC_2: i32 = 3;
pub const SRC_3: i32 = 4;
pub const SRC_LAYER: i32 = SRC_0;
pub const SRC_ITER: i32 = SRC_1;
pub const SRC_ITER_C: i32 = SRC_2;
pub const AUGRU_ATTENTION: i32 = SRC_3;
pub const FROM: i32 = SRC_0;

pub const DST: i32 = DST_0;
pub const DST_0: i32 = 17;
pub const DST_1: i32 = 18;
pub const DST_2: i32 = 19;
pub const DST_LAYER: i32 = DST_0;
pub const DST_ITER: i32 = DST_1;
pub const DST_ITER_C: i32 = DST_2;
pub const TO: i32 = DST_0;

pub const WEIGHTS: i32 = WEIGHTS_0;
pub const WEIGHTS_0: i32 = 33;
pub const WEIGHTS_1: i32 = 34;
pub const WEIGHTS_2: i32 = 35;
pub const WEIGHTS_3: i32 = 36;
pub const WEIGHTS_LAYER: i32 = WEIGHTS_0;
pub const WEIGHTS_ITER: i32 = WEIGHTS_1;
pub const WEIGHTS_PEEPHOLE: i32 = WEIGHTS_2;
pub const WEIGHTS_PROJECTION: i32 = WEIGHTS_3;

pub const BIAS: i32 = 41;
pub const REDUCE: i32 = 42;
pub const MEAN: i32 = 49;
pub const VARIANCE: i32 = 50;
pub const SCALE: i32 = 51;
pub const SHIFT: i32 = 52;
pub const WORKSPACE: i32 = 64;
pub const SCRATCHPAD: i32 = 80;

pub const DIFF_SRC: i32 = DIFF_SRC_0;
pub const DIFF_SRC_0: i32 = 129;
pub const DIFF_SRC_1: i32 = 130;
pub const DIFF_SRC_2: i32 = 131;
pub const DIFF_SRC_3: i32 = 132;
pub const DIFF_SRC_LAYER: i32 = DIFF_SRC_0;
pub const DIFF_SRC_ITER: i32 = DIFF_SRC_1;
pub const DIFF_SRC_ITER_C: i32 = DIFF_SRC_2;
pub const DIFF_AUGRU_ATTENTION: i32 = DIFF_SRC_3;

pub const DIFF_DST: i32 = DIFF_DST_0;
pub const DIFF_DST_0: i32 = 145;
pub const DIFF_DST_1: i32 = 146;
pub const DIFF_DST_2: i32 = 147;
pub const DIFF_DST_LAYER: i32 = DIFF_DST_0;
pub const DIFF_DST_ITER: i32 = DIFF_DST_1;
pub const DIFF_DST_ITER_C: i32 = DIFF_DST_2;

pub const DIFF_WEIGHTS: i32 = DIFF_WEIGHTS_0;
pub const DIFF_WEIGHTS_0: i32 = 161;
pub const DIFF_WEIGHTS_1: i32 = 162;
pub const DIFF_WEIGHTS_2: i32 = 163;
pub const DIFF_WEIGHTS_3: i32 = 164;
pub const DIFF_WEIGHTS_LAYER: i32 = DIFF_WEIGHTS_0;
pub const DIFF_WEIGHTS_ITER: i32 = DIFF_WEIGHTS_1;
pub const DIFF_WEIGHTS_PEEPHOLE: i32 = DIFF_WEIGHTS_2;
pub const DIFF_WEIGHTS_PROJECTION: i32 = DIFF_WEIGHTS_3;

pub const DIFF_BIAS: i32 = 169;
pub const DIFF_SCALE: i32 = 255;
pub const DIFF_SHIFT: i32 = 256;

pub const HINT_MAX_GROUP_SIZE: i32 = 384;
pub const ATTR_DROPOUT_OFFSET: i32 = 507;
pub const ATTR_ROUNDING_SEED: i32 = 508;
pub const ATTR_DROPOUT_MASK: i32 = 509;
pub const ATTR_DROPOUT_PROBABILITY: i32 = 510;
pub const ATTR_DROPOUT_SEED: i32 = 511;
pub const ATTR_PRECOMPUTED_REDUCTIONS: i32 = 512;
pub const ATTR_OUTPUT_SCALES: i32 = 513;

pub const MULTIPLE_SRC: i32 = 1024;
pub const MULTIPLE_DST: i32 = 2048;
pub const ATTR_SCALES: i32 = 4096;
pub const ATTR_ZERO_POINTS: i32 = 8192;
pub const ATTR_POST_OP_DW: i32 = 16384;
pub const ATTR_MULTIPLE_POST_OP_BASE: i32 = 32768;

/// The base number for the arguments of the post-op at `index`.
pub const fn post_op(index: usize) -> i32 {
    ATTR_MULTIPLE_POST_OP_BASE * (index as i32 + 1)
}

/// The number of the input at `index` of a primitive with any number of inputs.
pub const fn multiple_src(index: usize) -> i32 {
    MULTIPLE_SRC + index as i32
}

/// How attributes name an argument in verbose lines: `src0`, `wei`, `dst`, `msrc3`.
pub(crate) fn verbose_name(arg: i32) -> String {
    match arg {
        _ if arg & MULTIPLE_SRC != 0 => format!("msrc{}", arg - MULTIPLE_SRC),
        SRC_0 | SRC_1 | SRC_2 => format!("src{}", arg - SRC_0),
        WEIGHTS_0 | WEIGHTS_1 | WEIGHTS_2 => "wei".into(),
        DST => "dst".into(),
        DIFF_SRC => "diff_src".into(),
        DIFF_WEIGHTS => "diff_wei".into(),
        _ if arg == ATTR_POST_OP_DW | DST => "attr_post_op_dw_dst".into(),
        _ if arg == ATTR_POST_OP_DW | WEIGHTS => "attr_post_op_dw_wei".into(),
        _ if arg == ATTR_POST_OP_DW | SRC => "attr_post_op_dw_src".into(),
        _ => arg.to_string(),
    }
}
