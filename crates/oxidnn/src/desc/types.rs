//! The closed vocabularies of the API: data types, algorithms, kinds and modes.
//!
//! Every enum's discriminants are the C API's values, so the C ABI converts with [`from_c`](DataType::from_c) and
//! `as i32`, and the names are those that verbose lines and `dnnl_*2str` print.

/// Declares an enum whose discriminants are C values and whose variants have API names.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $value:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $text, "`")] $variant = $value,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The value with this C discriminant.
            pub fn from_c(value: i32) -> Option<$name> {
                match value { $($value => Some($name::$variant),)+ _ => None }
            }

            /// The name the API gives it.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

vocabulary! {
    /// How one element is stored.
    DataType {
        Undef = 0 "undef", F16 = 1 "f16", Bf16 = 2 "bf16", F32 = 3 "f32", S32 = 4 "s32", S8 = 5 "s8", U8 = 6 "u8",
        F64 = 7 "f64", Boolean = 8 "boolean", F8E5m2 = 9 "f8_e5m2", F8E4m3 = 10 "f8_e4m3", S4 = 11 "s4", U4 = 12 "u4",
        E8m0 = 13 "e8m0", F4E2m1 = 14 "f4_e2m1", F4E3m0 = 15 "f4_e3m0", S64 = 16 "s64",
    }
}

impl DataType {
    /// Bits one element occupies; 4 for the packed types.
    pub fn bits(self) -> u32 {
        use DataType::*;
        match self {
            Undef => 0,
            S4 | U4 | F4E2m1 | F4E3m0 => 4,
            S8 | U8 | F8E5m2 | F8E4m3 | E8m0 | Boolean => 8,
            F16 | Bf16 => 16,
            F32 | S32 => 32,
            F64 | S64 => 64,
        }
    }

    /// Bytes that hold `elements` elements.
    pub fn bytes(self, elements: usize) -> usize {
        match self.bits() {
            4 => elements.div_ceil(2),
            bits => elements * (bits as usize / 8),
        }
    }

    /// Whether two elements share a byte.
    pub fn is_sub_byte(self) -> bool {
        self.bits() == 4
    }

    /// Whether it holds whole numbers.
    pub fn is_integer(self) -> bool {
        use DataType::*;
        matches!(self, S32 | S8 | U8 | S4 | U4 | S64 | Boolean)
    }

    /// Whether it holds floating-point numbers.
    pub fn is_float(self) -> bool {
        !self.is_integer() && self != DataType::Undef
    }
}

vocabulary! {
    /// Which pass a primitive belongs to.
    PropKind {
        Undef = 0 "undef", ForwardTraining = 64 "forward_training", ForwardInference = 96 "forward_inference",
        Backward = 128 "backward", BackwardData = 160 "backward_data", BackwardWeights = 192 "backward_weights",
        BackwardBias = 193 "backward_bias",
    }
}

impl PropKind {
    /// Whether it is one of the two forward kinds.
    pub fn is_forward(self) -> bool {
        matches!(self, PropKind::ForwardTraining | PropKind::ForwardInference)
    }
}

vocabulary! {
    /// Which operation a primitive computes.
    PrimitiveKind {
        Undef = 0 "undef", Reorder = 1 "reorder", Shuffle = 2 "shuffle", Concat = 3 "concat", Sum = 4 "sum",
        Convolution = 5 "convolution", Deconvolution = 6 "deconvolution", Eltwise = 7 "eltwise", Lrn = 8 "lrn",
        BatchNormalization = 9 "batch_normalization", InnerProduct = 10 "inner_product", Rnn = 11 "rnn",
        Gemm = 12 "gemm", Binary = 13 "binary", Matmul = 14 "matmul", Resampling = 15 "resampling",
        Pooling = 16 "pooling", Reduction = 17 "reduction", Prelu = 18 "prelu", Softmax = 19 "softmax",
        LayerNormalization = 20 "layer_normalization", GroupNormalization = 21 "group_normalization",
    }
}

vocabulary! {
    /// The algorithm of an operation or post-op.
    AlgKind {
        Undef = 0 "undef",
        ConvolutionDirect = 0x1 "convolution_direct", ConvolutionWinograd = 0x2 "convolution_winograd",
        ConvolutionAuto = 0x3 "convolution_auto", DeconvolutionDirect = 0xa "deconvolution_direct",
        DeconvolutionWinograd = 0xb "deconvolution_winograd",
        EltwiseRelu = 0x20 "eltwise_relu", EltwiseTanh = 0x21 "eltwise_tanh", EltwiseElu = 0x22 "eltwise_elu",
        EltwiseSquare = 0x23 "eltwise_square", EltwiseAbs = 0x24 "eltwise_abs", EltwiseSqrt = 0x25 "eltwise_sqrt",
        EltwiseLinear = 0x26 "eltwise_linear", EltwiseSoftRelu = 0x27 "eltwise_soft_relu",
        EltwiseHardsigmoid = 0x28 "eltwise_hardsigmoid", EltwiseLogistic = 0x29 "eltwise_logistic",
        EltwiseExp = 0x2a "eltwise_exp", EltwiseGeluTanh = 0x2b "eltwise_gelu_tanh",
        EltwiseSwish = 0x2c "eltwise_swish", EltwiseLog = 0x2d "eltwise_log", EltwiseClip = 0x2e "eltwise_clip",
        EltwiseClipV2 = 0x2f "eltwise_clip_v2", EltwisePow = 0x30 "eltwise_pow",
        EltwiseGeluErf = 0x31 "eltwise_gelu_erf", EltwiseRound = 0x32 "eltwise_round",
        EltwiseMish = 0x33 "eltwise_mish", EltwiseHardswish = 0x34 "eltwise_hardswish",
        EltwiseReluUseDst = 0x100 "eltwise_relu_use_dst_for_bwd",
        EltwiseTanhUseDst = 0x101 "eltwise_tanh_use_dst_for_bwd",
        EltwiseEluUseDst = 0x102 "eltwise_elu_use_dst_for_bwd",
        EltwiseSqrtUseDst = 0x103 "eltwise_sqrt_use_dst_for_bwd",
        EltwiseLogisticUseDst = 0x104 "eltwise_logistic_use_dst_for_bwd",
        EltwiseExpUseDst = 0x105 "eltwise_exp_use_dst_for_bwd",
        EltwiseClipV2UseDst = 0x106 "eltwise_clip_v2_use_dst_for_bwd",
        PoolingMax = 0x1ff "pooling_max", PoolingAvgIncludePadding = 0x2ff "pooling_avg_include_padding",
        PoolingAvgExcludePadding = 0x3ff "pooling_avg_exclude_padding",
        LrnAcrossChannels = 0xaff "lrn_across_channels", LrnWithinChannel = 0xbff "lrn_within_channel",
        VanillaRnn = 0x1fff "vanilla_rnn", VanillaLstm = 0x2fff "vanilla_lstm", VanillaGru = 0x3fff "vanilla_gru",
        LbrGru = 0x4fff "lbr_gru", VanillaAugru = 0x5fff "vanilla_augru", LbrAugru = 0x6fff "lbr_augru",
        BinaryAdd = 0x1fff0 "binary_add", BinaryMul = 0x1fff1 "binary_mul", BinaryMax = 0x1fff2 "binary_max",
        BinaryMin = 0x1fff3 "binary_min", BinaryDiv = 0x1fff4 "binary_div", BinarySub = 0x1fff5 "binary_sub",
        BinaryGe = 0x1fff6 "binary_ge", BinaryGt = 0x1fff7 "binary_gt", BinaryLe = 0x1fff8 "binary_le",
        BinaryLt = 0x1fff9 "binary_lt", BinaryEq = 0x1fffa "binary_eq", BinaryNe = 0x1fffb "binary_ne",
        BinarySelect = 0x1fffc "binary_select",
        ResamplingNearest = 0x2fff0 "resampling_nearest", ResamplingLinear = 0x2fff1 "resampling_linear",
        ReductionMax = 0x2fff2 "reduction_max", ReductionMin = 0x2fff3 "reduction_min",
        ReductionSum = 0x2fff4 "reduction_sum", ReductionMul = 0x2fff5 "reduction_mul",
        ReductionMean = 0x2fff6 "reduction_mean", ReductionNormLpMax = 0x2fff7 "reduction_norm_lp_max",
        ReductionNormLpSum = 0x2fff8 "reduction_norm_lp_sum",
        ReductionNormLpPowerPMax = 0x2fff9 "reduction_norm_lp_power_p_max",
        ReductionNormLpPowerPSum = 0x2fffa "reduction_norm_lp_power_p_sum",
        SoftmaxAccurate = 0x30000 "softmax_accurate", SoftmaxLog = 0x30001 "softmax_log",
        /// A softmax whose rows of minus infinity become zeros; oneDNN has it for its graphs and test programs.
        SoftmaxAccurateInfAsZero = 0x1002 "softmax_accurate_inf_as_zero",
    }
}

impl AlgKind {
    /// Whether it is an eltwise algorithm.
    pub fn is_eltwise(self) -> bool {
        self.name().starts_with("eltwise_")
    }

    /// Whether it is a binary algorithm.
    pub fn is_binary(self) -> bool {
        self.name().starts_with("binary_")
    }
}

vocabulary! {
    /// In which order an RNN takes the steps of time, and what becomes of two orders' results.
    RnnDirection {
        Undef = 0 "undef", LeftToRight = 1 "unidirectional_left2right", RightToLeft = 2 "unidirectional_right2left",
        BidirectionalConcat = 3 "bidirectional_concat", BidirectionalSum = 4 "bidirectional_sum",
    }
}

vocabulary! {
    /// Which implicit down-conversions of f32 a primitive may make.
    FpmathMode { Strict = 0 "strict", Bf16 = 1 "bf16", F16 = 2 "f16", Any = 3 "any", Tf32 = 4 "tf32", }
}

impl FpmathMode {
    /// Whether f32 may become bf16.
    pub fn allows_bf16(self) -> bool {
        matches!(self, FpmathMode::Bf16 | FpmathMode::Any)
    }
}

vocabulary! {
    /// Which accumulator a primitive may use.
    AccumulationMode {
        Strict = 0 "strict", Relaxed = 1 "relaxed", Any = 2 "any", S32 = 3 "s32", F32 = 4 "f32", F16 = 5 "f16",
    }
}

vocabulary! {
    /// Who provides the scratchpad.
    ScratchpadMode { Library = 0 "library", User = 1 "user", }
}

vocabulary! {
    /// How values are rounded when an output is stored.
    RoundingMode { Environment = 0 "environment", Stochastic = 1 "stochastic", }
}

vocabulary! {
    /// Who computes scales: the user beforehand, or the primitive while it runs.
    QuantizationMode {
        Undef = 0 "undef", StaticSazp = 1 "static_sazp", DynamicMx = 2 "dynamic_mx", DynamicFp = 3 "dynamic_fp",
    }
}

vocabulary! {
    /// How a sparse tensor is encoded.
    SparseEncoding { Undef = 0 "undef", Csr = 1 "csr", Packed = 2 "packed", Coo = 3 "coo", Grouped = 4 "grouped", }
}

vocabulary! {
    /// The family of a memory format.
    FormatKind {
        Undef = 0 "undef", Any = 1 "any", Blocked = 2 "blocked", Opaque = 3 "opaque", Sparse = 4 "sparse",
        HostScalar = 5 "host_scalar",
    }
}

vocabulary! {
    /// Where an engine computes.
    EngineKind { Any = 0 "any", Cpu = 1 "cpu", Gpu = 2 "gpu", }
}
