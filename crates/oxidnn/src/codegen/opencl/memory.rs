//! Loads and stores: between storage types and value types, one element or a vector of them.

use super::emit::{Emitter, Value, tensor_name};
use super::{bits, natural, storage};
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

    /// Lanes that repeat and skip elements close to the first: where they do so as at the start, in the middle or at the end of the
    /// axis, one vector is loaded and its elements put in place.
    fn load_nearby(&mut self, tensor: TensorId, offset: E) -> Option<Value> {
        let axis = self.lane_axis().filter(|&axis| self.depends(offset, axis))?;
        let elements = *self.room.get(&tensor)?;
        let n = self.lane_count();
        let patterns = self.program.patterns(offset, axis, n);
        if patterns.is_empty() || self.index_type() != "int" {
            return None;
        }
        let from = natural(self.program.tensor(tensor).data_type);
        let at = self.value(offset);
        let first = format!("{}.s0", at.text);
        let whole = self.vector_load(tensor, offset, &first, n)?;
        let elements = self.scalar(elements);
        let (steps, name, type_name) = (self.fresh("d"), self.fresh("v"), self.type_name(from, true));
        self.line(format!("const int{n} {steps} = {} - {first};", at.text));
        self.line(format!("{type_name} {name};"));
        for (i, pattern) in patterns.iter().enumerate() {
            let numbers: Vec<String> = pattern.iter().map(|step| step.to_string()).collect();
            let places: String = pattern.iter().map(|step| format!("{step:x}")).collect();
            let same = format!("all({steps} == (int{n})({}))", numbers.join(", "));
            let otherwise = if i > 0 { "else " } else { "" };
            self.open(format!("{otherwise}if ({first} + {n} <= {elements} && {same})"));
            let loaded = self.vector_variable(from, whole.clone());
            self.line(format!("{name} = {}.s{places};", loaded.text));
            self.close();
        }
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
            return self.vector_load(tensor, offset, &start, n);
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
    fn unit_stride(&mut self, offset: E) -> Option<String> {
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
            data_type => return vector_at(data_type, &format!("{name} + {start}"), n),
        })
    }

    /// Asks for the cache line of a load some elements ahead, so that it is there when its turn comes; in the innermost cache
    /// or the one behind it.
    pub fn prefetch_ahead(&mut self, tensor: TensorId, offset: E, ahead: &str, close: bool) {
        let start = self.at_lane(offset, 0);
        let name = tensor_name(tensor);
        let locality = if close { 3 } else { 2 };
        self.line(format!(
            "__builtin_prefetch((__private const void *)(size_t)({name} + ({start}) + ({ahead})), 0, {locality});"
        ));
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
        let n = self.lane_count();
        if let Some((from, offset, _)) = self.copied(store)
            && let Some(start) = self.unit_stride(offset)
        {
            return Some(format!("vload{n}(0, {from} + {start})"));
        }
        let value = self.wide_value(store.value);
        self.vector_element(store, &value)
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
                if self.program.is_bf16(store.value) {
                    self.line(format!("const uint{n} {rounded} = {bits};"));
                } else {
                    self.line(format!("uint{n} {rounded} = {bits} + 0x7fff;"));
                    self.line(format!("{rounded} = ({bits} & 0x10000) != 0 ? {rounded} + 1 : {rounded};"));
                    self.line(format!("{rounded} = isnan({value}) ? {bits} | 0x400000 : {rounded};"));
                }
                if n == 16 {
                    format!("(ushort16)(as_ushort16({rounded}.lo).odd, as_ushort16({rounded}.hi).odd)")
                } else {
                    format!("as_ushort{}({rounded}).odd", 2 * n)
                }
            }
            (S32, Ty::F32) => format!("convert_int{n}_sat_rte({value})"),
            // Some devices have conversions that round as calls of functions only.
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
        let put = (data_type == DataType::F32 && n == 16 && space == "__global").then_some("put_float16");
        self.used.extend(put);
        let plain = |elements: &[String], at: usize| {
            let to = format!("({space} {stored} *)({name} + {start} + {})", at * n);
            match put {
                Some(put) => format!("{put}({}, {to});", elements[at]),
                None => format!("vstore{n}({}, 0, {to});", elements[at]),
            }
        };
        let Some(condition) = self.streaming.clone().filter(|_| space == "__global") else {
            (0..elements.len()).for_each(|at| self.line(plain(elements, at)));
            return;
        };
        let bytes = n * data_type.bits() as usize / 8;
        let (whole, all) = match elements {
            [element] => (format!("{stored}{n}"), element.clone()),
            // Joined before it is known how they are stored, so that compilers narrow all of them at once.
            _ => {
                let words: Vec<String> = elements.iter().map(|x| format!("as_uint{}({x})", bytes / 4)).collect();
                let whole = format!("uint{}", elements.len() * bytes / 4);
                let all = self.fresh("all");
                self.line(format!("const {whole} {all} = ({whole})({});", words.join(", ")));
                (whole, all)
            }
        };
        let part = |at: usize| {
            let halves = (0..elements.len().ilog2()).rev().map(|bit| if at >> bit & 1 == 0 { ".lo" } else { ".hi" });
            format!("as_{stored}{n}({all}{})", halves.collect::<String>())
        };
        let parts: Vec<String> = match elements {
            [element] => vec![element.clone()],
            _ => (0..elements.len()).map(part).collect(),
        };
        let target = self.fresh("to");
        self.line(format!("__global {} *{target} = {name} + {start};", storage(data_type)));
        self.open(format!("if ({condition} && ((size_t){target} & {}) == 0)", elements.len() * bytes - 1));
        self.line(format!("__builtin_nontemporal_store({all}, (__global {whole} *){target});"));
        self.close();
        self.open("else");
        (0..elements.len()).for_each(|at| self.line(plain(&parts, at)));
        self.close();
    }

    /// Asks for the memory at an offset ahead of its use. The offset may lie beyond the tensor.
    pub fn prefetch(&mut self, tensor: TensorId, offset: E) {
        let name = tensor_name(tensor);
        let start = self.at_lane(offset, 0);
        self.line(format!("__builtin_prefetch((__private const void *)(size_t)({name} + {start}), 0, 3);"));
    }

    /// The address that a node, which is a load, is read from; that of lane 0 where it has lanes.
    pub fn address(&mut self, e: E) -> String {
        let Node::Load { tensor, offset, .. } = *self.program.node(e) else { panic!("only a load has an address") };
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
        match vector_at(data_type, &from, self.lane_count()) {
            Some(text) => {
                let loaded = self.vector_variable(natural(data_type), text);
                self.convert(natural(data_type), ty, loaded)
            }
            None => self.value_if(condition, e),
        }
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

/// `n` elements from an address on, as an expression of their natural value type.
fn vector_at(data_type: DataType, address: &str, n: usize) -> Option<String> {
    Some(match data_type {
        DataType::F32 | DataType::F64 | DataType::S32 => format!("vload{n}(0, {address})"),
        DataType::F16 => format!("vload_half{n}(0, {address})"),
        DataType::Bf16 => format!("as_float{n}(convert_uint{n}(vload{n}(0, {address})) << 16)"),
        DataType::S8 | DataType::U8 => format!("convert_int{n}(vload{n}(0, {address}))"),
        _ => return None,
    })
}
