//! Primitive descriptors of recurrent cells.

use crate::api::{ConstHandle, arg};
use crate::create::{Desc, Made, Maker, make, raw};
use crate::handle::PrimitiveDesc;

/// Which cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Cell {
    /// One gate with an activation (an eltwise algorithm).
    Vanilla {
        activation: i32,
    },
    Lstm,
    Gru,
    LbrGru,
    Augru,
    LbrAugru,
}

impl Cell {
    /// How many gates it has.
    pub fn gates(self) -> i64 {
        match self {
            Cell::Vanilla { .. } => 1,
            Cell::Lstm => 4,
            _ => 3,
        }
    }

    /// How many biases it has for each hidden value.
    pub fn biases(self) -> i64 {
        self.gates() + i64::from(matches!(self, Cell::LbrGru | Cell::LbrAugru))
    }

    /// Whether it takes an attention.
    pub fn attends(self) -> bool {
        matches!(self, Cell::Augru | Cell::LbrAugru)
    }
}

/// The flag with which gradients of weights replace what was there; else they are added to it.
pub const DIFF_WEIGHTS_OVERWRITE: u32 = 1;

impl<'a> Maker<'_, 'a> {
    /// A forward pass; `desc` gives the descriptor of an argument.
    pub fn recurrent_forward<'d>(
        &self,
        cell: Cell,
        prop: i32,
        direction: i32,
        desc: impl Fn(i32) -> Desc<'d>,
    ) -> Made<'a> {
        let d = |index: i32| -> ConstHandle { raw(desc(index)) };
        let (x, h, w, u, b) = (d(arg::SRC), d(arg::SRC_1), d(arg::WEIGHTS), d(arg::WEIGHTS_1), d(arg::BIAS));
        let (y, z, attention, attr) = (d(arg::DST), d(arg::DST_1), d(arg::SRC_3), self.attr());
        match cell {
            Cell::Vanilla { activation } => make!(
                self,
                vanilla_rnn_forward_primitive_desc_create,
                prop,
                activation,
                direction,
                x,
                h,
                w,
                u,
                b,
                y,
                z,
                0,
                0.0,
                0.0,
                attr
            ),
            Cell::Lstm => make!(
                self,
                lstm_forward_primitive_desc_create,
                prop,
                direction,
                x,
                h,
                d(arg::SRC_2),
                w,
                u,
                d(arg::WEIGHTS_2),
                d(arg::WEIGHTS_3),
                b,
                y,
                z,
                d(arg::DST_2),
                0,
                attr
            ),
            Cell::Gru => {
                make!(self, gru_forward_primitive_desc_create, prop, direction, x, h, w, u, b, y, z, 0, attr)
            }
            Cell::LbrGru => {
                make!(self, lbr_gru_forward_primitive_desc_create, prop, direction, x, h, w, u, b, y, z, 0, attr)
            }
            Cell::Augru => make!(
                self,
                augru_forward_primitive_desc_create,
                prop,
                direction,
                x,
                h,
                attention,
                w,
                u,
                b,
                y,
                z,
                0,
                attr
            ),
            Cell::LbrAugru => make!(
                self,
                lbr_augru_forward_primitive_desc_create,
                prop,
                direction,
                x,
                h,
                attention,
                w,
                u,
                b,
                y,
                z,
                0,
                attr
            ),
        }
    }

    /// A backward pass; `desc` gives the descriptor of an argument.
    pub fn recurrent_backward<'d>(
        &self,
        cell: Cell,
        direction: i32,
        flags: u32,
        desc: impl Fn(i32) -> Desc<'d>,
    ) -> Made<'a> {
        const BACKWARD: i32 = 128;
        let d = |index: i32| -> ConstHandle { raw(desc(index)) };
        let (x, h, w, u, b) = (d(arg::SRC), d(arg::SRC_1), d(arg::WEIGHTS), d(arg::WEIGHTS_1), d(arg::BIAS));
        let (y, z, attention) = (d(arg::DST), d(arg::DST_1), d(arg::SRC_3));
        let (dx, dh, dw, du) = (d(arg::DIFF_SRC), d(arg::DIFF_SRC_1), d(arg::DIFF_WEIGHTS), d(arg::DIFF_WEIGHTS_1));
        let (db, dy, dz) = (d(arg::DIFF_BIAS), d(arg::DIFF_DST), d(arg::DIFF_DST_1));
        let (diff_attention, hint, attr) = (d(arg::DIFF_SRC_3), self.hint(), self.attr());
        macro_rules! plain {
            ($function:ident) => {
                make!(
                    self, $function, BACKWARD, direction, x, h, w, u, b, y, z, dx, dh, dw, du, db, dy, dz, flags, hint,
                    attr
                )
            };
        }
        macro_rules! attending {
            ($function:ident) => {
                make!(
                    self,
                    $function,
                    BACKWARD,
                    direction,
                    x,
                    h,
                    attention,
                    w,
                    u,
                    b,
                    y,
                    z,
                    dx,
                    dh,
                    diff_attention,
                    dw,
                    du,
                    db,
                    dy,
                    dz,
                    flags,
                    hint,
                    attr
                )
            };
        }
        match cell {
            Cell::Vanilla { activation } => make!(
                self,
                vanilla_rnn_backward_primitive_desc_create,
                BACKWARD,
                activation,
                direction,
                x,
                h,
                w,
                u,
                b,
                y,
                z,
                dx,
                dh,
                dw,
                du,
                db,
                dy,
                dz,
                flags,
                0.0,
                0.0,
                hint,
                attr
            ),
            Cell::Lstm => make!(
                self,
                lstm_backward_primitive_desc_create,
                BACKWARD,
                direction,
                x,
                h,
                d(arg::SRC_2),
                w,
                u,
                d(arg::WEIGHTS_2),
                d(arg::WEIGHTS_3),
                b,
                y,
                z,
                d(arg::DST_2),
                dx,
                dh,
                d(arg::DIFF_SRC_2),
                dw,
                du,
                d(arg::DIFF_WEIGHTS_2),
                d(arg::DIFF_WEIGHTS_3),
                db,
                dy,
                dz,
                d(arg::DIFF_DST_2),
                flags,
                hint,
                attr
            ),
            Cell::Gru => plain!(gru_backward_primitive_desc_create),
            Cell::LbrGru => plain!(lbr_gru_backward_primitive_desc_create),
            Cell::Augru => attending!(augru_backward_primitive_desc_create),
            Cell::LbrAugru => attending!(lbr_augru_backward_primitive_desc_create),
        }
    }
}
