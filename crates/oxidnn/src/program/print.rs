//! A program as text, for people: `ONEDNN_VERBOSE` dumps and test failures.

use std::fmt;

use super::*;

impl Program {
    fn show(&self, e: E, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node(e) {
            Node::Bool(value) => write!(f, "{value}"),
            Node::Index(value) => write!(f, "{value}"),
            Node::S32(value) => write!(f, "{value}"),
            Node::F32(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Node::F64(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Node::Axis(axis) => write!(f, "{}{}", self.axis(*axis).name, axis.0),
            Node::Param(param) => write!(f, "p{}", param.0),
            Node::Scalar(scalar) => write!(f, "s{}", scalar.0),
            Node::Load { tensor, offset, guard, ty } => {
                write!(f, "{}[", self.tensor(*tensor).name)?;
                self.show(*offset, f)?;
                if let Some(guard) = guard {
                    f.write_str(" if ")?;
                    self.show(*guard, f)?;
                }
                write!(f, "]:{ty:?}")
            }
            Node::Unary(op, x) => {
                write!(f, "{op:?}(")?;
                self.show(*x, f)?;
                f.write_str(")")
            }
            Node::Convert(ty, x) => {
                write!(f, "{ty:?}(")?;
                self.show(*x, f)?;
                f.write_str(")")
            }
            Node::Binary(op, a, b) => {
                write!(f, "{op:?}(")?;
                self.show(*a, f)?;
                f.write_str(", ")?;
                self.show(*b, f)?;
                f.write_str(")")
            }
            Node::Select(c, a, b) => {
                f.write_str("(")?;
                self.show(*c, f)?;
                f.write_str(" ? ")?;
                self.show(*a, f)?;
                f.write_str(" : ")?;
                self.show(*b, f)?;
                f.write_str(")")
            }
            Node::Reduce { op, axes, body } => {
                write!(f, "{op:?}[")?;
                for &axis in axes {
                    write!(f, "{}{} < ", self.axis(axis).name, axis.0)?;
                    self.show(self.axis(axis).extent, f)?;
                    f.write_str("; ")?;
                }
                self.show(*body, f)?;
                f.write_str("]")
            }
            Node::Philox { counter, lane, .. } => {
                f.write_str("philox(")?;
                self.show(counter[2], f)?;
                f.write_str(", ")?;
                self.show(*lane, f)?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in &self.stages {
            write!(f, "{}(", stage.name)?;
            for &axis in &stage.axes {
                write!(f, " {}{} < ", self.axis(axis).name, axis.0)?;
                self.show(self.axis(axis).extent, f)?;
            }
            f.write_str(" )")?;
            if let Some(bounds) = stage.bounds {
                f.write_str(" where ")?;
                self.show(bounds, f)?;
            }
            f.write_str("\n")?;
            for store in &stage.stores {
                write!(f, "  {}[", self.tensor(store.tensor).name)?;
                self.show(store.offset, f)?;
                f.write_str("] = ")?;
                self.show(store.value, f)?;
                f.write_str("\n")?;
            }
        }
        Ok(())
    }
}
