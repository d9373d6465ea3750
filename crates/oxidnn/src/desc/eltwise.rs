//! Element by element functions of one tensor.

use super::types::{AlgKind, DataType};
use crate::{Result, ensure};

/// Checks that an eltwise algorithm can have these parameters and inputs of this type.
pub(super) fn check_eltwise(src: DataType, alg: AlgKind, alpha: f32, beta: f32) -> Result<()> {
    use AlgKind::*;
    ensure!(alg.is_eltwise(), "{alg} is not an eltwise algorithm");
    let is_clip = matches!(alg, EltwiseClip | EltwiseClipV2 | EltwiseClipV2UseDst);
    ensure!(!is_clip || beta >= alpha, "{alg} from {alpha} to {beta}");
    // From the result of these, the sign of the argument is only known if negative arguments give negative results.
    let needs_sign = matches!(alg, EltwiseReluUseDst | EltwiseEluUseDst);
    ensure!(!needs_sign || alpha >= 0.0, "{alg} with a negative alpha of {alpha}");
    ensure!(alg != EltwiseRound || src == DataType::F32, "{alg} of {src}");
    let is_int = matches!(src, DataType::S32 | DataType::S8 | DataType::U8);
    let int_ok = matches!(alg, EltwiseRelu | EltwiseLinear | EltwiseClip);
    ensure!(!is_int || int_ok, "{alg} of {src}");
    Ok(())
}
