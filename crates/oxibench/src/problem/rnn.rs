//! Recurrent networks.

use super::Problem;
use crate::spec::Spec;

/// `--rnn --alg=VANILLA_LSTM t10mb16sic512`.
pub fn rnn(spec: &Spec) -> Result<Problem, String> {
    Err(spec.unreadable())
}
