//! Loads: from storage types to value types, one element or a vector of them.

use super::emit::{Emitter, Value, tensor_name};
use super::{natural, storage};
use crate::desc::DataType;
use crate::program::*;

/// Where a line is to stay that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// In the innermost cache.
    Innermost,
    /// In one behind it.
    Inner,
    /// In none, once it was read.
    None,
}

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
        if let Some(text) = self.whole_vector(tensor, offset, guard.is_some()) {
            let Some(guard) = guard else {
                let loaded = self.vector_variable(from, text);
                return self.convert(from, ty, loaded);
            };
            let axis = self.lane_axis().filter(|&axis| self.depends(guard, axis));
            if axis.is_none() {
                let zero = format!("({})(0)", self.type_name(from, true));
                let text = format!("{} ? {text} : {zero}", self.scalar(guard));
                let loaded = self.vector_variable(from, text);
                return self.convert(from, ty, loaded);
            }
            if axis.is_some_and(|axis| self.is_convex(guard, axis)) {
                let loaded = self.load_in_part(tensor, offset, guard, &text);
                return self.convert(from, ty, loaded);
            }
        }
        if let Some(loaded) = self.load_in_steps(tensor, offset, guard) {
            return self.convert(from, ty, loaded);
        }
        if guard.is_none()
            && let Some(loaded) = self.load_nearby(tensor, offset)
        {
            return self.convert(from, ty, loaded);
        }
        let element = self.element(tensor);
        let offset = self.value(offset);
        let loaded = match guard {
            None => self.per_lane(from, &[offset], |x| element(&x[0])),
            Some(guard) => {
                let guard = self.value(guard);
                self.load_where(tensor, offset, guard)
            }
        };
        self.convert(from, ty, loaded)
    }

    /// Lanes that repeat and skip elements close to the first, always alike: one vector is loaded where the tensor has as many elements from
    /// there on, and its elements put in place. Where lanes are outside, those of others are there instead and not wanted.
    fn load_in_steps(&mut self, tensor: TensorId, offset: E, guard: Option<E>) -> Option<Value> {
        let elements = *self.room.get(&tensor)?;
        let (n, steps) = (self.lane_count(), self.steps(offset));
        if steps.is_empty() || !steps.iter().all(|step| (0..n as i64).contains(step)) {
            return None;
        }
        let from = natural(self.program.tensor(tensor).data_type);
        let first = self.at_lane(offset, 0);
        let whole = self.vector_load(tensor, offset, &first, n)?;
        let elements = self.scalar(elements);
        let guard = guard.map(|guard| self.value(guard));
        let (name, type_name) = (self.fresh("v"), self.type_name(from, true));
        self.line(format!("{type_name} {name} = 0;"));
        let common = guard.as_ref().filter(|guard| !guard.vector).map_or_else(String::new, |guard| guard.text.clone());
        self.open(if common.is_empty() { common } else { format!("if ({common})") });
        self.open(format!("if ({first} >= 0 && {first} + {n} <= {elements})"));
        let loaded = self.vector_variable(from, whole);
        let places: String = steps.iter().map(|step| format!("{step:x}")).collect();
        let placed = Value { text: format!("{}.s{places}", loaded.text), vector: true };
        let inside = match guard.clone().filter(|guard| guard.vector) {
            Some(guard) => self.select(from, guard, placed, Value { text: "0".into(), vector: false }),
            None => placed,
        };
        self.line(format!("{name} = {};", inside.text));
        self.close();
        self.open("else");
        let at = self.value(offset);
        let each = match guard.filter(|guard| guard.vector) {
            Some(guard) => self.load_where(tensor, at, guard),
            None => {
                let element = self.element(tensor);
                self.per_lane(from, &[at], |x| element(&x[0]))
            }
        };
        self.line(format!("{name} = {};", each.text));
        self.close();
        self.close();
        Some(Value { text: name, vector: true })
    }

    /// Lanes that repeat and skip elements close to the first: one vector is loaded and its elements put in place.
    fn load_nearby(&mut self, tensor: TensorId, offset: E) -> Option<Value> {
        let axis = self.lane_axis().filter(|&axis| self.depends(offset, axis))?;
        let elements = *self.room.get(&tensor)?;
        let n = self.lane_count();
        let back = self.program.reach_back(offset, axis, n).filter(|_| self.index_type() == "int")?;
        let from = natural(self.program.tensor(tensor).data_type);
        let (at, elements) = (self.value(offset), self.scalar(elements));
        let start = self.fresh("start");
        self.line(format!("const int {start} = max(min({}.s0 - {back}, {elements} - {n}), 0);", at.text));
        let whole = self.vector_load(tensor, offset, &start, n)?;
        let (steps, name, type_name) = (self.fresh("d"), self.fresh("v"), self.type_name(from, true));
        self.line(format!("const uint{n} {steps} = as_uint{n}({} - {start});", at.text));
        self.line(format!("{type_name} {name};"));
        self.open(format!("if ({elements} >= {n} && all({steps} < {n}))"));
        let loaded = self.vector_variable(from, whole);
        // In this form compilers find the one instruction that does it.
        let placed: Vec<String> = (0..n).map(|lane| format!("{}[{steps}.s{lane:x}]", loaded.text)).collect();
        self.line(format!("{name} = ({type_name})({});", placed.join(", ")));
        self.close();
        self.open("else");
        let element = self.element(tensor);
        let each = self.per_lane(from, &[at], |x| element(&x[0]));
        self.line(format!("{name} = {};", each.text));
        self.close();
        Some(Value { text: name, vector: true })
    }

    /// A vector of consecutive lanes of which some at either end may be outside: loaded at once where none is, or where what is
    /// there in their place belongs to the tensor, too.
    fn load_in_part(&mut self, tensor: TensorId, offset: E, guard: E, whole: &str) -> Value {
        let from = natural(self.program.tensor(tensor).data_type);
        let tests = self.ends(guard);
        let room = self.room.get(&tensor).copied().map(|elements| {
            let last = self.lane_count() - 1;
            let (first, last) = (self.at_lane(offset, 0), self.at_lane(offset, last));
            format!("{first} >= 0 && {last} < {}", self.scalar(elements))
        });
        let name = self.fresh("v");
        let type_name = self.type_name(from, true);
        self.line(format!("{type_name} {name};"));
        self.open(format!("if ({})", tests.join(" && ")));
        self.line(format!("{name} = {whole};"));
        self.close();
        if let Some(room) = room {
            self.open(format!("else if ({room})"));
            let loaded = self.vector_variable(from, whole.to_string());
            let guard = self.value(guard);
            let inside = self.select(from, guard, loaded, Value { text: "0".into(), vector: false });
            self.line(format!("{name} = {};", inside.text));
            self.close();
        }
        self.open("else");
        let (offset, guard) = (self.value(offset), self.value(guard));
        let each = self.load_where(tensor, offset, guard);
        self.line(format!("{name} = {};", each.text));
        self.close();
        Value { text: name, vector: true }
    }

    /// Elements at offsets where a guard holds, each lane by itself.
    fn load_where(&mut self, tensor: TensorId, offset: Value, guard: Value) -> Value {
        let from = natural(self.program.tensor(tensor).data_type);
        let element = self.element(tensor);
        // Where there is an element to read in place of those that are not there, lanes need no branches.
        let has_any = self.program.tensor(tensor).elements.is_some_and(|elements| elements > 0);
        if !guard.vector || !has_any {
            return self.per_lane(from, &[offset, guard], |x| format!("{} ? {} : 0", x[1], element(&x[0])));
        }
        let zero = Value { text: "0".into(), vector: false };
        let safe = self.select(Ty::Index, guard.clone(), offset, zero.clone());
        let loaded = self.per_lane(from, &[safe], |x| element(&x[0]));
        self.select(from, guard, loaded, zero)
    }

    /// A condition on all lanes as conditions on single ones: where it can only begin to hold, on the first; where it can
    /// only cease, on the last.
    fn ends(&mut self, guard: E) -> Vec<String> {
        let Some(axis) = self.lane_axis() else { return vec![self.scalar(guard)] };
        let last = self.lane_count() - 1;
        let mut tests = Vec::new();
        for condition in self.program.conjuncts(guard) {
            let Node::Binary(_, a, b) = *self.program.node(condition) else { continue };
            let falls = |e: E| self.program.step(e, axis).is_some_and(|step| step <= 0);
            let rises = |e: E| self.program.step(e, axis).is_some_and(|step| step >= 0);
            if !(self.depends(condition, axis) && rises(a) && falls(b)) {
                tests.push(self.at_lane(condition, 0));
            }
            if self.depends(condition, axis) && !(falls(a) && rises(b)) {
                tests.push(self.at_lane(condition, last));
            }
        }
        tests
    }

    /// Whether a condition that holds at two positions of an axis holds between them.
    fn is_convex(&self, condition: E, axis: AxisId) -> bool {
        self.program.conjuncts(condition).into_iter().all(|condition| match *self.program.node(condition) {
            _ if !self.depends(condition, axis) => true,
            Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, b) => {
                self.program.ty(a) == Ty::Index && self.program.is_linear(a, axis) && self.program.is_linear(b, axis)
            }
            _ => false,
        })
    }

    /// The lanes of a load as one expression, where they lie side by side, every second, or in pairs. Of a guarded load
    /// nothing is read before the expression is.
    fn whole_vector(&mut self, tensor: TensorId, offset: E, guarded: bool) -> Option<String> {
        let axis = self.lane_axis().filter(|&axis| self.depends(offset, axis))?;
        let n = self.lane_count();
        let program = self.program;
        let packed = program.tensor(tensor).data_type.is_sub_byte();
        if guarded && packed {
            return None;
        }
        if program.constant_step(offset, axis) == Some(1) {
            let start = self.at_lane(offset, 0);
            return match self.half {
                Some(half) => Some(self.half_of_words(tensor, &start, half)),
                None => self.vector_load(tensor, offset, &start, n),
            };
        }
        let type_name = self.type_name(natural(program.tensor(tensor).data_type), true);
        if packed {
            return None;
        }
        if n >= 8 && program.is_linear(offset, axis) && program.step(offset, axis) == Some(2) {
            let start = self.at_lane(offset, 0);
            let low = self.vector_load(tensor, offset, &start, n)?;
            let high = self.vector_load(tensor, offset, &format!("{start} + {}", n - 1), n)?;
            return Some(format!("({type_name})(({low}).even, ({high}).odd)"));
        }
        if n >= 8 && !guarded && self.is_halved(offset, axis) {
            let start = self.at_lane(offset, 0);
            let half = self.vector_load(tensor, offset, &start, n / 2)?;
            let name = self.fresh("h");
            let short = type_name.trim_end_matches(char::is_numeric);
            self.line(format!("const {short}{} {name} = {half};", n / 2));
            let pairs: String = (0..n / 2).map(|lane| format!("{lane:x}{lane:x}")).collect();
            return Some(format!("{name}.s{pairs}"));
        }
        None
    }

    /// Of 32 elements of bf16 those with even positions, which are the lower halves of words, or those with odd ones.
    fn half_of_words(&mut self, tensor: TensorId, start: &str, half: usize) -> String {
        let name = tensor_name(tensor);
        let words =
            format!("(uint16)(as_uint8(vload16(0, {name} + {start})), as_uint8(vload16(0, {name} + {start} + 16)))");
        if half == 0 { format!("as_float16({words} << 16)") } else { format!("as_float16({words} & 0xffff0000)") }
    }

    /// Whether an index grows by one with every second step along an axis. Vectors begin at even positions.
    fn is_halved(&self, e: E, axis: AxisId) -> bool {
        let fixed = |x: E| !self.depends(x, axis);
        match *self.program.node(e) {
            Node::Binary(BinaryOp::Div, x, two) => {
                *self.program.node(x) == Node::Axis(axis) && *self.program.node(two) == Node::Index(2)
            }
            Node::Binary(BinaryOp::Add, a, b) => {
                (fixed(a) && self.is_halved(b, axis)) || (fixed(b) && self.is_halved(a, axis))
            }
            _ => false,
        }
    }

    fn vector_variable(&mut self, ty: Ty, text: String) -> Value {
        let name = self.fresh("v");
        let type_name = self.type_name(ty, true);
        self.line(format!("const {type_name} {name} = {text};"));
        Value { text: name, vector: true }
    }

    /// The offset of lane 0, where lanes are set and the offset grows by one a lane.
    pub(super) fn unit_stride(&mut self, offset: E) -> Option<String> {
        let axis = self.lane_axis()?;
        if !self.depends(offset, axis) {
            return None;
        }
        if self.program.constant_step(offset, axis) != Some(1) {
            return None;
        }
        Some(self.at_lane(offset, 0))
    }

    /// `n` consecutive elements as an expression of their natural value type.
    fn vector_load(&mut self, tensor: TensorId, offset: E, start: &str, n: usize) -> Option<String> {
        let name = tensor_name(tensor);
        let lanes = self.lane_axis()?;
        Some(match self.program.tensor(tensor).data_type {
            data_type if data_type.is_sub_byte() => {
                if !self.program.is_even(offset, lanes) {
                    return None;
                }
                self.nibbles(data_type, &format!("{name} + ({start}) / 2"), n)?
            }
            data_type => return self.vector_at(tensor, data_type, &format!("{name} + {start}"), n),
        })
    }

    /// A vector of elements of four bits, two to a byte, from an address on.
    fn nibbles(&mut self, data_type: DataType, address: &str, n: usize) -> Option<String> {
        let list = |each: &dyn Fn(usize) -> String| (0..n).map(each).collect::<Vec<_>>().join(", ");
        let nibbles = match n {
            // The two elements of each byte follow each other; bytes are cheaper to compute with than what becomes of them.
            16 => {
                let [bytes, low, high] = ["bytes", "low", "high"].map(|name| self.fresh(name));
                self.line(format!("const uchar8 {bytes} = vload8(0, {address});"));
                self.line(format!("const uchar8 {low} = {bytes} & (uchar8)(15), {high} = {bytes} >> (uchar8)(4);"));
                let turns = list(&|lane| format!("{}.s{}", if lane % 2 == 0 { &low } else { &high }, lane / 2));
                if data_type == DataType::S4 {
                    return Some(format!(
                        "convert_int16(as_char16(((uchar16)({turns}) ^ (uchar16)(8)) - (uchar16)(8)))"
                    ));
                }
                format!("convert_int16((uchar16)({turns}))")
            }
            // Eight of them are a word, from which each lane shifts its own.
            8 => {
                let word = self.fresh("word");
                self.line(format!("const uint {word} = as_uint(vload4(0, {address}));"));
                if data_type == DataType::S4 {
                    let up = list(&|lane| (28 - 4 * lane).to_string());
                    return Some(format!("(as_int8((uint8)({word}) << (uint8)({up})) >> 28)"));
                }
                format!("as_int8(((uint8)({word}) >> (uint8)({})) & 15)", list(&|lane| (4 * lane).to_string()))
            }
            _ => return None,
        };
        Some(match data_type {
            DataType::U4 => nibbles,
            DataType::S4 => format!("(({nibbles} ^ 8) - 8)"),
            // Their magnitudes are bits of an exponent and a mantissa; below the smallest exponent there is half of one, or nothing.
            DataType::F4E2m1 | DataType::F4E3m0 => {
                let (bits, magnitude) = (self.fresh("bits"), self.fresh("magnitude"));
                self.line(format!("const int{n} {bits} = {nibbles}, {magnitude} = {bits} & 7;"));
                let value = match data_type {
                    DataType::F4E2m1 => format!(
                        "({magnitude} < 2 ? convert_float{n}({magnitude}) * 0.5f : as_float{n}(({magnitude} << 22) + (126 << 23)))"
                    ),
                    _ => format!("({magnitude} == 0 ? (float{n})(0) : as_float{n}(({magnitude} + 124) << 23))"),
                };
                format!("as_float{n}(as_int{n}({value}) | (({bits} & 8) << 28))")
            }
            _ => return None,
        })
    }

    /// Asks for the cache line of a load some elements ahead, so that it is there when its turn comes.
    pub fn ask_ahead(&mut self, tensor: TensorId, offset: E, ahead: &str, to: Cache) {
        let start = self.at_lane(offset, 0);
        let name = tensor_name(tensor);
        let locality = match to {
            Cache::Innermost => 3,
            Cache::Inner => 2,
            Cache::None => 0,
        };
        self.line(format!(
            "__builtin_prefetch((__private const void *)(size_t)({name} + ({start}) + ({ahead})), 0, {locality});"
        ));
    }

    /// Asks for the memory at an offset ahead of its use. The offset may lie beyond the tensor.
    pub fn prefetch(&mut self, tensor: TensorId, offset: E) {
        let name = tensor_name(tensor);
        let start = self.at_lane(offset, 0);
        let start = if self.program.tensor(tensor).data_type.is_sub_byte() { format!("({start}) / 2") } else { start };
        self.line(format!("__builtin_prefetch((__private const void *)(size_t)({name} + {start}), 0, 3);"));
    }

    /// Asks for the memory some elements behind an offset, which will be written, ahead of that.
    pub fn ask_to_write(&mut self, tensor: TensorId, offset: E, ahead: i64) {
        let (name, start) = (tensor_name(tensor), self.at_lane(offset, 0));
        self.line(format!("__builtin_prefetch((__private const void *)(size_t)({name} + {start} + {ahead}), 1, 3);"));
    }

    /// The address that a node, which is a load, is read from; that of lane 0 where it has lanes.
    pub fn address(&mut self, e: E) -> String {
        let Node::Load { tensor, offset, .. } = *self.program.node(e) else { panic!("only a load has an address") };
        let start = self.at_lane(offset, 0);
        format!("{} + {start}", tensor_name(tensor))
    }

    /// The address of an element of a tensor that is written; that of lane 0 where the offset has lanes.
    pub fn result_address(&mut self, tensor: TensorId, offset: E) -> String {
        let start = self.at_lane(offset, 0);
        format!("{} + {start}", tensor_name(tensor))
    }

    /// The name of a function of vectors that raises e to powers up to zero; their type follows it.
    pub fn exp_down(&mut self) -> &'static str {
        self.used.insert("exp_down");
        "exp_down"
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

    /// The value of a node, which is a load, where a condition holds, else zero. Where lanes are neighbours it asks for no branch: vectors of zeros are
    /// read instead.
    pub fn value_or_zeros(&mut self, condition: &str, e: E) -> Value {
        let Node::Load { tensor, offset, guard: None, ty } = *self.program.node(e) else {
            return self.value_if(condition, e);
        };
        let data_type = self.program.tensor(tensor).data_type;
        let Some(start) = self.unit_stride(offset).filter(|_| !data_type.is_sub_byte()) else {
            return self.value_if(condition, e);
        };
        let (element, name, zeros) = (storage(data_type), tensor_name(tensor), self.zeros());
        let from = self.fresh("from");
        self.line(format!(
            "const __global {element} *{from} = (const __global {element} *)({condition} ? (size_t)({name} + {start}) : (size_t){zeros});"
        ));
        match self.vector_at(tensor, data_type, &from, self.lane_count()) {
            Some(text) => {
                let loaded = self.vector_variable(natural(data_type), text);
                self.convert(natural(data_type), ty, loaded)
            }
            None => self.value_if(condition, e),
        }
    }

    /// The C name of a tensor argument.
    pub fn tensor_argument(&self, tensor: TensorId) -> String {
        tensor_name(tensor)
    }

    /// `n` elements of a tensor, or zeros, from an address on, as an expression of their natural value type.
    fn vector_at(&mut self, tensor: TensorId, data_type: DataType, address: &str, n: usize) -> Option<String> {
        let end = self.ends.get(&tensor).copied();
        let read = match end {
            Some(elements) => {
                self.used.insert("until");
                let (name, elements) = (tensor_name(tensor), self.scalar(elements));
                format!("until_{}{n}({address}, {name} + {elements})", storage(data_type))
            }
            None if data_type == DataType::F16 => format!("vload_half{n}(0, {address})"),
            None => format!("vload{n}(0, {address})"),
        };
        Some(match data_type {
            DataType::F32 | DataType::F64 | DataType::S32 | DataType::F16 => read,
            DataType::Bf16 => format!("as_float{n}(convert_uint{n}({read}) << 16)"),
            DataType::S8 | DataType::U8 => format!("convert_int{n}({read})"),
            DataType::F8E5m2 | DataType::F8E4m3 if matches!(n, 4 | 8 | 16) => {
                format!("{}_{n}({read})", self.small_decoder(data_type))
            }
            _ => return None,
        })
    }

    /// The name of a function of vectors that decodes floats of a byte; how many they are follows it.
    pub fn small_decoder(&mut self, data_type: DataType) -> &'static str {
        let (function, name) = match data_type {
            DataType::F8E5m2 => ("from_e5m2_n", "from_e5m2"),
            _ => ("from_e4m3_n", "from_e4m3"),
        };
        self.used.insert(function);
        name
    }
}
