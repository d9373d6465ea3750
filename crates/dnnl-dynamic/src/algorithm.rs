//! The algorithms of eltwise and binary, by the API's values and names.

macro_rules! algorithms {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $value:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum $name { $($variant = $value,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name without its prefix.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}

algorithms! {
    /// An eltwise algorithm.
    Eltwise {
        Relu = 0x20 "relu", Tanh = 0x21 "tanh", Elu = 0x22 "elu", Square = 0x23 "square", Abs = 0x24 "abs",
        Sqrt = 0x25 "sqrt", Linear = 0x26 "linear", SoftRelu = 0x27 "soft_relu", Hardsigmoid = 0x28 "hardsigmoid",
        Logistic = 0x29 "logistic", Exp = 0x2a "exp", GeluTanh = 0x2b "gelu_tanh", Swish = 0x2c "swish",
        Log = 0x2d "log", Clip = 0x2e "clip", ClipV2 = 0x2f "clip_v2", Pow = 0x30 "pow",
        GeluErf = 0x31 "gelu_erf", Round = 0x32 "round", Mish = 0x33 "mish", Hardswish = 0x34 "hardswish",
    }
}

impl Eltwise {
    /// The value of the variant that computes backwards from the destination, where there is one.
    pub fn use_dst(self) -> Option<i32> {
        use Eltwise::*;
        let with = [Relu, Tanh, Elu, Sqrt, Logistic, Exp, ClipV2];
        with.iter().position(|algorithm| *algorithm == self).map(|index| 0x100 + index as i32)
    }
}

algorithms! {
    /// A binary algorithm.
    Binary {
        Add = 0x1fff0 "add", Mul = 0x1fff1 "mul", Max = 0x1fff2 "max", Min = 0x1fff3 "min", Div = 0x1fff4 "div",
        Sub = 0x1fff5 "sub", Ge = 0x1fff6 "ge", Gt = 0x1fff7 "gt", Le = 0x1fff8 "le", Lt = 0x1fff9 "lt",
        Eq = 0x1fffa "eq", Ne = 0x1fffb "ne", Select = 0x1fffc "select",
    }
}
