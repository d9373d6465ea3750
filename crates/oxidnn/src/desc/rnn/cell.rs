//! Cells of recurrent networks.

use crate::desc::float::Float;
use crate::desc::types::AlgKind;

/// What happens in one step of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RnnCell {
    /// The kind of cell.
    pub kind: AlgKind,
    /// The activation of a vanilla cell; [`AlgKind::Undef`] for the others, where it is part of the cell.
    pub activation: AlgKind,
    /// The slope of negative values where the activation is ReLU.
    pub alpha: Float,
    /// Not used by any activation.
    pub beta: Float,
}

impl RnnCell {
    /// A cell other than the vanilla one.
    pub fn new(kind: AlgKind) -> RnnCell {
        RnnCell { kind, activation: AlgKind::Undef, alpha: Float(0.0), beta: Float(0.0) }
    }

    /// A vanilla cell: one gate with an activation.
    pub fn vanilla(activation: AlgKind, alpha: f32, beta: f32) -> RnnCell {
        RnnCell { kind: AlgKind::VanillaRnn, activation, alpha: Float(alpha), beta: Float(beta) }
    }

    /// How many gates it has.
    pub fn gates(&self) -> i64 {
        match self.kind {
            AlgKind::VanillaRnn => 1,
            AlgKind::VanillaLstm => 4,
            _ => 3,
        }
    }

    /// Whether it is a long short-term memory, which has a second state.
    pub fn is_lstm(&self) -> bool {
        self.kind == AlgKind::VanillaLstm
    }

    /// Whether the reset gate is applied after the linear layer.
    pub fn is_linear_before_reset(&self) -> bool {
        matches!(self.kind, AlgKind::LbrGru | AlgKind::LbrAugru)
    }

    /// Whether the update gate is weakened by attention.
    pub fn has_attention(&self) -> bool {
        matches!(self.kind, AlgKind::VanillaAugru | AlgKind::LbrAugru)
    }
}
