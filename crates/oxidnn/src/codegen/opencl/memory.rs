//! Loads and stores: between storage types and value types, one element or a vector of them.

use super::emit::{Emitter, Value, tensor_name};
use super::natural;
use crate::desc::DataType;
use crate::program::*;

impl Emitter<'_> {
    /// A function that makes a value expression of a stored element.
    pub(super) fn decoder(&mut self, data_type: DataType) -> impl Fn(&str) -> String + use<> {
        use DataType::*;
        let function = match data_type {
            Bf16 => "from_bf16",
            F8E5m2 => "from_e5m2",
            F8E4m3 => "from_e4m3",
            E8m0 => "from_e8m0",
            F4E2m1 => "from_e2m1",
            F4E3m0 => "from_e3m0",
            S4 => "from_s4",
            S64 | S8 | U8 | Boolean | U4 => "(int)",
            F32 | F64 | F16 | S32 | Undef => "",
        };
        if function.starts_with("from") {
            self.used.insert(function);
        }
        move |element: &str| if function.is_empty() { element.to_string() } else { format!("{function}({element})") }
    }

    /// A function that makes the element to store of a value expression of type `ty`.
    pub(super) fn encoder(&mut self, data_type: DataType, ty: Ty) -> impl Fn(&str) -> String + use<> {
        use DataType::*;
        let float = ty.is_float();
        let function = match data_type {
            Bf16 => "to_bf16",
            F8E5m2 => "to_e5m2",
            F8E4m3 => "to_e4m3",
            E8m0 => "to_e8m0",
            F4E2m1 => "to_e2m1",
            F4E3m0 => "to_e3m0",
            S32 if float => "convert_int_sat_rte",
            S8 if float => "convert_char_sat_rte",
            U8 | Boolean if float => "convert_uchar_sat_rte",
            S64 if float => "convert_long_sat_rte",
            S4 if float => "15 & (uchar)convert_char_rte",
            U4 if float => "convert_uchar_rte",
            S8 => "convert_char_sat",
            U8 | Boolean => "convert_uchar_sat",
            S4 => "15 & (uchar)",
            U4 | S32 | S64 | Undef => "",
            F32 => "(float)",
            F64 => "(double)",
            F16 => "(float)",
        };
        if function.starts_with("to_") {
            self.used.insert(function);
        }
        let range = match data_type {
            S4 => Some(("-8", "7")),
            U4 => Some(("0", "15")),
            _ => None,
        };
        let suffix = match ty {
            Ty::F32 => ".0f",
            Ty::F64 => ".0",
            _ => "",
        };
        let narrow = function.starts_with("to_") && ty != Ty::F32;
        move |value: &str| {
            let mut value = if narrow { format!("(float)({value})") } else { value.to_string() };
            if let Some((low, high)) = range {
                value = format!("clamp({value}, {low}{suffix}, {high}{suffix})");
            }
            if function.is_empty() { value } else { format!("{function}({value})") }
        }
    }

    /// One element as an expression of its natural value type.
    fn element(&mut self, tensor: TensorId) -> impl Fn(&str) -> String + use<> {
        let data_type = self.program.tensor(tensor).data_type;
        let name = tensor_name(tensor);
        let decode = self.decoder(data_type);
        move |offset: &str| {
            if data_type == DataType::F16 {
                format!("vload_half({offset}, {name})")
            } else if data_type.is_sub_byte() {
                decode(&format!("(({name}[({offset}) >> 1] >> ((({offset}) & 1) << 2)) & 15)"))
            } else {
                decode(&format!("{name}[{offset}]"))
            }
        }
    }

    pub(super) fn load(&mut self, tensor: TensorId, offset: E, guard: Option<E>, ty: Ty) -> Value {
        let data_type = self.program.tensor(tensor).data_type;
        let from = natural(data_type);
        if guard.is_none()
            && let Some(start) = self.unit_stride(offset)
            && let Some(text) = self.vector_load(tensor, offset, &start)
        {
            let loaded = self.vector_variable(from, text);
            return self.convert(from, ty, loaded);
        }
        let element = self.element(tensor);
        let offset = self.value(offset);
        let loaded = match guard {
            None => self.per_lane(from, &[offset], |x| element(&x[0])),
            Some(guard) => {
                let guard = self.value(guard);
                self.per_lane(from, &[offset, guard], |x| format!("{} ? {} : 0", x[1], element(&x[0])))
            }
        };
        self.convert(from, ty, loaded)
    }

    fn vector_variable(&mut self, ty: Ty, text: String) -> Value {
        let name = self.fresh("v");
        let type_name = self.type_name(ty, true);
        self.line(format!("const {type_name} {name} = {text};"));
        Value { text: name, vector: true }
    }

    /// The offset of lane 0, where lanes are set and the offset grows by one a lane.
    fn unit_stride(&mut self, offset: E) -> Option<String> {
        let axis = self.lane_axis()?;
        if !self.depends(offset, axis) {
            return None;
        }
        if self.program.constant_step(offset, axis) != Some(1) {
            return None;
        }
        Some(self.lane_zero(offset))
    }

    fn vector_load(&mut self, tensor: TensorId, offset: E, start: &str) -> Option<String> {
        let n = self.lane_count();
        let name = tensor_name(tensor);
        let lanes = self.lane_axis()?;
        Some(match self.program.tensor(tensor).data_type {
            DataType::F32 | DataType::F64 | DataType::S32 => format!("vload{n}(0, {name} + {start})"),
            DataType::F16 => format!("vload_half{n}(0, {name} + {start})"),
            DataType::Bf16 => format!("as_float{n}(convert_uint{n}(vload{n}(0, {name} + {start})) << 16)"),
            // Two neighbours share a byte: each byte is there for both, shifted for one of them.
            data_type @ (DataType::S4 | DataType::U4) if n == 16 && self.program.is_even(offset, lanes) => {
                let bytes = self.fresh("bytes");
                self.line(format!("const uchar8 {bytes} = vload8(0, {name} + ({start}) / 2);"));
                let twice: Vec<String> = (0..n).map(|lane| format!("{bytes}.s{}", lane / 2)).collect();
                let shifts: Vec<&str> = (0..n).map(|lane| if lane % 2 == 0 { "0" } else { "4" }).collect();
                let (twice, shifts) = (twice.join(", "), shifts.join(", "));
                let nibbles = format!("((convert_int16((uchar16)({twice})) >> (int16)({shifts})) & 15)");
                if data_type == DataType::S4 { format!("(({nibbles} ^ 8) - 8)") } else { nibbles }
            }
            DataType::S8 | DataType::U8 => format!("convert_int{n}(vload{n}(0, {name} + {start}))"),
            _ => return None,
        })
    }

    /// Stores a value, one element or all lanes.
    pub fn store(&mut self, store: &Store) {
        let value = self.value(store.value);
        self.store_value(store, &value);
    }

    /// Stores zero in place of a store's value.
    pub fn store_zero(&mut self, store: &Store) {
        self.store_value(store, &Value { text: "0".into(), vector: false });
    }

    fn store_value(&mut self, store: &Store, value: &Value) {
        let data_type = self.program.tensor(store.tensor).data_type;
        let ty = self.program.ty(store.value);
        let name = tensor_name(store.tensor);
        if let Some(start) = self.unit_stride(store.offset)
            && value.vector
            && let Some(text) = self.vector_store(&name, data_type, ty, &start, &value.text)
        {
            self.line(text);
            return;
        }
        let encode = self.encoder(data_type, ty);
        let offset = self.value(store.offset);
        for lane in 0..self.lane_count() {
            let part = |x: &Value| if x.vector { format!("{}.s{lane:x}", x.text) } else { x.text.clone() };
            let (offset, value) = (part(&offset), part(value));
            self.line(if data_type == DataType::F16 {
                format!("vstore_half_rte({}, {offset}, {name});", encode(&value))
            } else {
                format!("{name}[{offset}] = {};", encode(&value))
            });
        }
    }

    fn vector_store(&mut self, name: &str, data_type: DataType, ty: Ty, start: &str, value: &str) -> Option<String> {
        let n = self.lane_count();
        let converted = match (data_type, ty) {
            (DataType::F32, Ty::F32) | (DataType::S32, Ty::S32) | (DataType::F64, Ty::F64) => value.to_string(),
            (DataType::F16, Ty::F32) => return Some(format!("vstore_half{n}_rte({value}, 0, {name} + {start});")),
            (DataType::S32, Ty::F32) => format!("convert_int{n}_sat_rte({value})"),
            (DataType::S8, Ty::F32) => format!("convert_char{n}_sat_rte({value})"),
            (DataType::U8, Ty::F32) => format!("convert_uchar{n}_sat_rte({value})"),
            _ => return None,
        };
        Some(format!("vstore{n}({converted}, 0, {name} + {start});"))
    }

    /// Asks for the memory at an offset ahead of its use. The offset may lie beyond the tensor.
    pub fn prefetch(&mut self, tensor: TensorId, offset: E) {
        let name = tensor_name(tensor);
        let start = self.lane_zero(offset);
        self.line(format!("__builtin_prefetch((__private const void *)(size_t)({name} + {start}), 0, 3);"));
    }

    /// The address that a node, which is a load, is read from; that of lane 0 where it has lanes.
    pub fn address(&mut self, e: E) -> String {
        let Node::Load { tensor, offset, .. } = *self.program.node(e) else { panic!("only a load has an address") };
        let start = self.lane_zero(offset);
        format!("{} + {start}", tensor_name(tensor))
    }

    /// The name of 4096 bytes of zeros.
    pub fn zeros(&mut self) -> &'static str {
        self.used.insert("zeros");
        "zeros"
    }

    /// The value of a node where a condition holds, else zero; nothing is read outside of it.
    pub fn value_if(&mut self, condition: &str, e: E) -> Value {
        let ty = self.program.ty(e);
        let vector = self.lane_axis().is_some_and(|axis| self.depends(e, axis));
        let name = self.fresh("x");
        let type_name = self.type_name(ty, vector);
        self.line(format!("{type_name} {name} = 0;"));
        self.open(format!("if ({condition})"));
        let value = self.value(e).text;
        self.line(format!("{name} = {value};"));
        self.close();
        Value { text: name, vector }
    }

    /// The nibble a 4-bit store would write, as an expression.
    pub fn nibble(&mut self, store: &Store) -> String {
        let data_type = self.program.tensor(store.tensor).data_type;
        let encode = self.encoder(data_type, self.program.ty(store.value));
        let value = self.scalar(store.value);
        encode(&value)
    }

    /// The C name of a tensor argument.
    pub fn tensor_argument(&self, tensor: TensorId) -> String {
        tensor_name(tensor)
    }
}
