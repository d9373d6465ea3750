//! Stores: from value types to storage types, one element or a vector of them; past the caches where that is asked for.

use super::emit::{Emitter, Value, tensor_name};
use super::{bits, natural, storage};
use crate::desc::DataType;
use crate::program::*;

/// How floats are rounded to bf16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// They are of bf16 already.
    None,
    /// To the nearest; from halfway away from zero.
    Up,
    /// To the nearest; from halfway to the even one.
    Even,
    /// The same, and a NaN may carry.
    EvenOrNan,
}

impl Emitter<'_> {
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

    /// Stores a value, one element or all lanes.
    pub fn store(&mut self, store: &Store) {
        if let Some(element) = self.elements(store) {
            return self.store_elements(store, &[element]);
        }
        if let Some((from, offset, bits)) = self.copied(store).filter(|_| self.lanes_move(store).is_none()) {
            let (offset, target, to) = (self.scalar(offset), self.scalar(store.offset), tensor_name(store.tensor));
            let space = self.space(store.tensor);
            self.line(format!("(({space} {bits} *){to})[{target}] = ({from})[{offset}];"));
            return;
        }
        let value = self.value(store.value);
        self.store_value(store, &value);
    }

    /// What of a store changes from lane to lane, if anything does.
    fn lanes_move(&self, store: &Store) -> Option<AxisId> {
        self.lane_axis().filter(|&axis| self.depends(store.value, axis) || self.depends(store.offset, axis))
    }

    /// Where a value is an element of the type that it is stored as: the tensor it comes from, its offset, and the type of
    /// its bits; the tensor as a pointer to these.
    fn copied(&self, store: &Store) -> Option<(String, E, &'static str)> {
        let data_type = self.program.tensor(store.tensor).data_type;
        let Node::Load { tensor, offset, guard: None, ty } = *self.program.node(store.value) else { return None };
        let same = self.program.tensor(tensor).data_type == data_type && ty == natural(data_type);
        let copies = same && !data_type.is_sub_byte() && !self.knows(store.value);
        let (space, bits, name) = (self.space(tensor), bits(data_type), tensor_name(tensor));
        copies.then(|| (format!("({space} const {bits} *){name}"), offset, bits))
    }

    /// The lanes of a store's value as a vector of what is stored, where they are neighbours there.
    pub fn elements(&mut self, store: &Store) -> Option<String> {
        let axis = self.lane_axis()?;
        if self.program.constant_step(store.offset, axis) != Some(1) {
            return None;
        }
        self.scattered_elements(store)
    }

    /// The same, wherever they go.
    pub fn scattered_elements(&mut self, store: &Store) -> Option<String> {
        let n = self.lane_count();
        if let Some((from, offset, _)) = self.copied(store)
            && let Some(start) = self.unit_stride(offset)
        {
            return Some(format!("vload{n}(0, {from} + {start})"));
        }
        let value = self.wide_value(store.value);
        self.vector_element(store, &value)
    }

    /// Whether vectors of so many lanes are stored as vectors, where they are neighbours.
    pub fn stores_vectors(&self, store: &Store, lanes: usize) -> bool {
        use DataType::*;
        match (self.program.tensor(store.tensor).data_type, self.program.ty(store.value)) {
            (F32, Ty::F32 | Ty::S32) | (S32, Ty::S32) | (F64, Ty::F64) | (F16 | Bf16, Ty::F32) => true,
            (S8 | U8, Ty::F32 | Ty::S32) => true,
            (S32 | F8E5m2 | F8E4m3, Ty::F32) => matches!(lanes, 4 | 8 | 16),
            _ => false,
        }
    }

    /// The type of the vectors that [`elements`](Self::elements) makes.
    pub fn element_type(&self, store: &Store) -> String {
        format!("{}{}", bits(self.program.tensor(store.tensor).data_type), self.lane_count())
    }

    /// Stores vectors side by side, from where the lane axis is bound; past the caches as one.
    pub fn store_elements(&mut self, store: &Store, elements: &[String]) {
        let data_type = self.program.tensor(store.tensor).data_type;
        let Some(start) = self.unit_stride(store.offset) else { return };
        self.vector_store(store.tensor, data_type, &start, elements);
    }

    /// Stores zero in place of a store's value.
    pub fn store_zero(&mut self, store: &Store) {
        self.store_value(store, &Value { text: "0".into(), vector: false });
    }

    fn store_value(&mut self, store: &Store, value: &Value) {
        let data_type = self.program.tensor(store.tensor).data_type;
        let ty = self.program.ty(store.value);
        let name = tensor_name(store.tensor);
        let tensor = store.tensor;
        if let Some(start) = self.unit_stride(store.offset) {
            let vector_type = self.type_name(ty, true);
            let value = if value.vector { value.text.clone() } else { format!("({vector_type})({})", value.text) };
            if let Some(element) = self.vector_element(store, &value) {
                self.vector_store(tensor, data_type, &start, &[element]);
                return;
            }
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

    /// The elements to store of a vector, as an expression of the storage type; bits for halves.
    fn vector_element(&mut self, store: &Store, value: &str) -> Option<String> {
        use DataType::*;
        let n = self.lane_count();
        let (data_type, ty) = (self.program.tensor(store.tensor).data_type, self.program.ty(store.value));
        Some(match (data_type, ty) {
            (F32, Ty::F32) | (S32, Ty::S32) | (F64, Ty::F64) => value.to_string(),
            // In a variable first: PoCL 3.1 stores vectors of halves as if they were aligned.
            (F16, Ty::F32) => {
                let bits = self.fresh("bits");
                self.line(format!("ushort{n} {bits};"));
                self.line(format!("vstore_half{n}_rte({value}, 0, (half *)&{bits});"));
                bits
            }
            // Rounded to the nearest even, and the high half of each lane.
            (Bf16, Ty::F32) => {
                let (bits, rounded) = (self.fresh("u"), self.fresh("u"));
                self.line(format!("const uint{n} {bits} = as_uint{n}({value});"));
                match self.rounding(store.value, &[]) {
                    Rounding::None => self.line(format!("const uint{n} {rounded} = {bits};")),
                    Rounding::Up => self.line(format!("const uint{n} {rounded} = {bits} + 0x8000;")),
                    rounding => {
                        self.line(format!("uint{n} {rounded} = {bits} + 0x7fff;"));
                        self.line(format!("{rounded} = ({bits} & 0x10000) != 0 ? {rounded} + 1 : {rounded};"));
                        if rounding == Rounding::EvenOrNan {
                            self.line(format!("{rounded} = isnan({value}) ? {bits} | 0x400000 : {rounded};"));
                        }
                    }
                }
                if n == 16 {
                    format!("(ushort16)(as_ushort16({rounded}.lo).odd, as_ushort16({rounded}.hi).odd)")
                } else {
                    format!("as_ushort{}({rounded}).odd", 2 * n)
                }
            }
            // Some devices have conversions that round as calls of functions only.
            (S32, Ty::F32) if matches!(n, 4 | 8 | 16) => {
                self.used.insert("to_s32");
                format!("to_s32_{n}({value})")
            }
            (S8 | U8, Ty::F32) => {
                let function = if data_type == S8 { "to_s8" } else { "to_u8" };
                self.used.insert(function);
                format!("{function}_{n}({value})")
            }
            (S8 | U8, Ty::S32) => {
                let limited = self.limited(store, value);
                format!("convert_{}{n}({limited})", bits(data_type))
            }
            (F32, Ty::S32) => format!("convert_float{n}({value})"),
            (F8E5m2, Ty::F32) if matches!(n, 4 | 8 | 16) => {
                self.used.insert("to_small_n");
                format!("to_small_{n}({value}, 2, 15, 134u << 23, 124)")
            }
            (F8E4m3, Ty::F32) if matches!(n, 4 | 8 | 16) => {
                self.used.insert("to_small_n");
                format!("to_small_{n}({value}, 3, 7, 141u << 23, 127)")
            }
            _ => return None,
        })
    }

    /// An integer limited to the type it is stored as. Where limits are plain to see and those that are never reached are left out,
    /// compilers find that bytes stay bytes.
    fn limited(&self, store: &Store, value: &str) -> String {
        let Some((least, most)) = range_of(self.program.tensor(store.tensor).data_type) else { return value.into() };
        let (low, high) = self.program.whole_range(store.value).unwrap_or((i64::MIN, i64::MAX));
        let vector_type = self.type_name(Ty::S32, true);
        let above = if low < least { format!("max({value}, ({vector_type})({least}))") } else { value.to_string() };
        if high > most { format!("min({above}, ({vector_type})({most}))") } else { above }
    }

    fn vector_store(&mut self, tensor: TensorId, data_type: DataType, start: &str, elements: &[String]) {
        let n = self.lane_count();
        let (stored, space, name) = (bits(data_type), self.space(tensor), tensor_name(tensor));
        let puts: Vec<String> = (0..elements.len())
            .map(|at| self.put(stored, space, &elements[at], &format!("{name} + {start} + {}", at * n)))
            .collect();
        let streaming = self.streaming.clone().filter(|_| space == "__global");
        let (condition, element) = match (streaming, elements) {
            (None, _) => return puts.iter().for_each(|put| self.line(put)),
            (Some(condition), [element]) => (condition, element),
            // Joined before it is known how they are stored, so that compilers narrow all of them at once.
            (Some(_), _) => {
                let words = n * data_type.bits() as usize / 32;
                let parts: Vec<String> = elements.iter().map(|x| format!("as_uint{words}({x})")).collect();
                let whole = format!("uint{}", elements.len() * words);
                let all = self.fresh("all");
                self.line(format!("const {whole} {all} = ({whole})({});", parts.join(", ")));
                return self.store_joined(tensor, start, &all, elements.len());
            }
        };
        let condition = (!self.aligned).then_some(condition);
        self.store_past_caches(tensor, start, element, &format!("{stored}{n}"), condition, &puts);
    }

    /// Stores a vector of a type past the caches; under a condition, and where it is aligned there, else by other statements.
    fn store_past_caches(
        &mut self,
        tensor: TensorId,
        start: &str,
        vector: &str,
        vector_type: &str,
        condition: Option<String>,
        otherwise: &[String],
    ) {
        let (element, name) = (storage(self.program.tensor(tensor).data_type), tensor_name(tensor));
        let target = self.fresh("to");
        self.line(format!("__global {element} *{target} = {name} + {start};"));
        let past = format!("__builtin_nontemporal_store({vector}, (__global {vector_type} *){target});");
        let Some(condition) = condition else { return self.line(past) };
        self.open(format!(
            "if (__builtin_expect({condition} && ((size_t){target} & (sizeof({vector_type}) - 1)) == 0, 1))"
        ));
        self.line(past);
        self.close();
        self.open("else");
        otherwise.iter().for_each(|statement| self.line(statement));
        self.close();
    }

    /// Stores a vector of words of 32 bits, one a lane, at an address.
    pub fn store_words(&mut self, words: &str, address: &str) {
        let words = format!("as_int{}({words})", self.lane_count());
        let statement = self.put("int", "__global", &words, address);
        self.line(statement);
    }

    /// A statement that stores a vector of elements at an address, of which no more is known than that of an element.
    fn put(&mut self, stored: &str, space: &str, elements: &str, address: &str) -> String {
        let n = self.lane_count();
        if n < 8 || !["float", "int", "ushort", "char", "uchar"].contains(&stored) {
            return format!("vstore{n}({elements}, 0, ({space} {stored} *)({address}));");
        }
        self.used.insert("put");
        format!("put({stored}, {n}, {space}, {elements}, {address});")
    }

    /// Stores words that several vectors of short elements were joined to; past the caches as one.
    fn store_joined(&mut self, tensor: TensorId, start: &str, all: &str, count: usize) {
        let (n, data_type, name) = (self.lane_count(), self.program.tensor(tensor).data_type, tensor_name(tensor));
        let stored = bits(data_type);
        let puts: Vec<String> = (0..count)
            .map(|at| {
                let halves = (0..count.ilog2()).rev().map(|bit| if at >> bit & 1 == 0 { ".lo" } else { ".hi" });
                let part = format!("as_{stored}{n}({all}{})", halves.collect::<String>());
                self.put(stored, "__global", &part, &format!("{name} + {start} + {}", at * n))
            })
            .collect();
        let Some(condition) = self.streaming.clone() else {
            return puts.iter().for_each(|put| self.line(put));
        };
        let words = count * n * data_type.bits() as usize / 32;
        self.store_past_caches(tensor, start, all, &format!("uint{words}"), Some(condition), &puts);
    }

    /// Whether what is stored are sixteen floats that are rounded to bf16.
    pub fn is_rounded_to_bf16(&self, store: &Store) -> bool {
        self.program.tensor(store.tensor).data_type == DataType::Bf16
            && self.program.ty(store.value) == Ty::F32
            && self.lane_count() == 16
            && !self.program.is_bf16(store.value)
    }

    /// Two vectors of a value as words, of which the upper halves are elements of bf16. Of `known` values no NaN carries when it is rounded.
    fn rounded_words(&mut self, value: E, known: &[E], [first, second]: [&str; 2]) -> String {
        match self.rounding(value, known) {
            Rounding::None => format!("as_uint16({first}), as_uint16({second})"),
            Rounding::Up => format!("as_uint16({first}) + 0x8000, as_uint16({second}) + 0x8000"),
            Rounding::Even => {
                self.used.insert("even_bf16");
                format!("even_bf16({first}), even_bf16({second})")
            }
            Rounding::EvenOrNan => {
                self.used.insert("round_bf16");
                let [low, high] = ["low", "high"].map(|name| self.fresh(name));
                self.line(format!("uint16 {low}, {high};"));
                self.line(format!("round_bf16({first}, {second}, &{low}, &{high});"));
                format!("{low}, {high}")
            }
        }
    }

    /// How a value is rounded. Of `known` ones no NaN carries when it is.
    fn rounding(&self, value: E, known: &[E]) -> Rounding {
        if self.program.is_bf16(value) {
            Rounding::None
        } else if !self.program.rounds_nans(value, known) {
            Rounding::EvenOrNan
        } else if self.program.is_halfway_by_chance(value, &self.coarse) {
            Rounding::Up
        } else {
            Rounding::Even
        }
    }

    /// Words of two vectors of a value as elements of bf16, side by side.
    pub fn rounded(&mut self, value: E, parts: [&str; 2]) -> String {
        self.used.insert("pack_bf16");
        format!("pack_bf16({})", self.rounded_words(value, &[], parts))
    }

    /// Stores two vectors as elements of bf16, side by side.
    pub fn store_rounded(&mut self, store: &Store, parts: [&str; 2]) {
        let Some(start) = self.unit_stride(store.offset) else { return };
        let (all, rounded) = (self.fresh("all"), self.rounded(store.value, parts));
        self.line(format!("const uint16 {all} = {rounded};"));
        self.store_joined(store.tensor, &start, &all, 2);
    }

    /// Stores two vectors as elements of bf16, of which one has those at even positions and the other those at odd ones. Of `known` values no
    /// NaN carries when it is rounded.
    pub fn store_halves(&mut self, store: &Store, [even, odd]: &[String; 2], known: &[E]) {
        let Some(start) = self.unit_stride(store.offset) else { return };
        let (all, words) = (self.fresh("all"), self.rounded_words(store.value, known, [even, odd]));
        self.used.insert("join_bf16");
        self.line(format!("const uint16 {all} = join_bf16({words});"));
        self.store_joined(store.tensor, &start, &all, 2);
    }

    /// The nibble a 4-bit store would write, as an expression.
    pub fn nibble(&mut self, store: &Store) -> String {
        let data_type = self.program.tensor(store.tensor).data_type;
        let encode = self.encoder(data_type, self.program.ty(store.value));
        let value = self.scalar(store.value);
        encode(&value)
    }
}
