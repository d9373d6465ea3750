//! Products of short numbers, several at a time: instructions that multiply groups of neighbours along the reduction and
//! add them to one sum.
//!
//! Here is which contractions they suit; [`frame`](super::frame) has the assembly, [`groups`](super::groups) the kernel around it.

use super::frame::{Form, Frame};
use super::presence::conditions;
use super::{Contraction, MOST_VECTORS, Product, Tile, kernel};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;
use crate::schedule::read;

/// What is multiplied in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) enum Dot {
    /// Unsigned bytes of rows by signed bytes of columns.
    Unsigned,
    /// Signed bytes of both; rows are made unsigned by adding 128, and what that adds to the sums is taken away again.
    Signed,
    /// Pairs of bf16.
    Bf16,
    /// Pairs of bytes, made 16 bits wide first, see [`pairs`](super::pairs).
    Pairs,
}

/// Rows that are worth a copy of the columns in another type, which takes more memory than they do.
const WORTH_ROWS: i64 = 16;
/// Columns that are worth a vector that they do not fill, and bytes of a row: with fewer, vectors along rows are faster.
const FEWEST_COLUMNS: i64 = 6;
const WORTH_BYTES: i64 = 32;
/// Vectors of a tile of pairs, at most.
const PAIRS_VECTORS: i64 = 4;
/// Bytes of zeros for rows that do not count.
pub(super) const ZEROS: i64 = 4096;

impl Dot {
    /// Rows of a tile, at most: each needs a register for its address.
    pub const MOST_ROWS: i64 = 6;
    /// Lines that a table may have.
    pub const MOST_LINES: i64 = 64;

    /// How a contraction of these factors can be multiplied in groups, were there an instruction for it.
    pub fn of(program: &Program, c: &Contraction) -> Option<Dot> {
        let dot = Dot::of_numbers(program, c)?;
        let Node::Load { offset, .. } = *program.node(c.broadcast) else { return None };
        let &innermost = c.reduced.last()?;
        let mut conditions = conditions(program, c.broadcast);
        if let Some(tail) = Tail::of(program, c, dot) {
            conditions.retain(|&condition| condition != tail.condition);
        }
        let decided = conditions.iter().any(|&condition| program.depends_on(condition, innermost));
        let fits = conditions.is_empty() || program.extent(innermost)? * dot.bytes() <= ZEROS;
        let usable = program.constant_step(offset, innermost) == Some(1) && !decided && fits;
        usable.then_some(dot)
    }

    /// Whether it is the fastest way to sum products of two factors though columns do not fill a vector.
    pub(super) fn serves_few(program: &Program, stage: &Stage, product: &Product, profile: &DeviceProfile) -> bool {
        let Product { sum, factors: [a, b] } = *product;
        let own = |factor: E, other: E| {
            let of_one = move |axis: &&AxisId| program.depends_on(factor, **axis) && !program.depends_on(other, **axis);
            stage.axes.iter().filter(of_one)
        };
        let is_side_by_side = |axis: &AxisId| program.constant_step(stage.stores[0].offset, *axis) == Some(1);
        // Columns are stored side by side.
        let (rows, columns) = if own(a, b).any(is_side_by_side) { (b, a) } else { (a, b) };
        let (Node::Load { tensor, offset, .. }, Node::Reduce { axes, .. }) = (program.node(rows), program.node(sum))
        else {
            return false;
        };
        let Some(dot) = Dot::of_factors(program, sum, rows, columns).filter(|dot| dot.is_there(profile)) else {
            return false;
        };
        let bytes = |&axis: &AxisId| {
            let row = program.extent(axis).unwrap_or(0) * dot.bytes();
            (program.constant_step(*offset, axis) == Some(1) && row % 4 == 0).then_some(row)
        };
        let Some(((many, few), bytes)) =
            program.points(own(rows, columns)).zip(program.points(own(columns, rows))).zip(axes.iter().find_map(bytes))
        else {
            return false;
        };
        // What comes from memory had better be read as it lies.
        let is_close = kernel::bytes(program, *tensor) < profile.cache_bytes as i64;
        let by_vectors = few >= FEWEST_COLUMNS && many >= WORTH_ROWS && bytes >= WORTH_BYTES;
        is_close
            && own(columns, rows).any(is_side_by_side)
            && (dot.fills_tiles(many, bytes, profile) || (by_vectors && dot.by_vectors(profile) == Some(dot)))
    }

    /// How a device could multiply it in groups, were the steps of the innermost loop neighbours in each row.
    pub fn if_lined_up(program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Dot> {
        Dot::of_numbers(program, c).filter(|dot| dot.is_there(profile) && has_few_lines(program, c))
    }

    /// What a device multiplies vectors of in place of this, if it has an instruction for it and a table has room for all lines.
    pub fn of_few_lines(self, program: &Program, c: &Contraction, profile: &DeviceProfile) -> Option<Dot> {
        self.by_vectors(profile).filter(|_| has_few_lines(program, c))
    }

    /// Whether a device has an instruction for it.
    pub fn is_there(self, profile: &DeviceProfile) -> bool {
        self.by_vectors(profile).is_some() || self.has_tiles(profile)
    }

    /// What there is to be multiplied in groups, wherever it lies and however many there are.
    pub fn of_types(program: &Program, c: &Contraction) -> Option<Dot> {
        let mut vectors = c.vectors().map(|vector| Dot::of_factors(program, c.sum, c.broadcast, vector));
        let first = vectors.next()??;
        vectors.all(|dot| dot == Some(first)).then_some(first)
    }

    /// The same for two factors.
    pub fn of_factors(program: &Program, sum: E, rows: E, columns: E) -> Option<Dot> {
        let load = |factor: E| match *program.node(factor) {
            Node::Load { tensor, .. } => Some(program.tensor(tensor).data_type),
            _ => None,
        };
        match (load(rows)?, load(columns)?, program.ty(sum)) {
            (DataType::U8, DataType::S8, Ty::S32) => Some(Dot::Unsigned),
            (DataType::S8, DataType::S8, Ty::S32) => Some(Dot::Signed),
            (DataType::Bf16, DataType::Bf16, Ty::F32) => Some(Dot::Bf16),
            _ => None,
        }
    }

    /// What there would be, were columns that bf16 holds as they are, such as small integers, or that may be rounded to it, copied as
    /// that. Many rows are worth it.
    fn if_converted(program: &Program, c: &Contraction) -> Option<Dot> {
        let Node::Load { tensor, .. } = *program.node(c.broadcast) else { return None };
        let of_pairs = program.tensor(tensor).data_type == DataType::Bf16 && program.ty(c.sum) == Ty::F32;
        let worth = c.more.is_empty() && c.row_count(program)? >= WORTH_ROWS;
        (of_pairs && worth && program.may_be_bf16(c.vector)).then_some(Dot::Bf16)
    }

    /// The same, where whole groups of them make up the innermost loop.
    fn of_numbers(program: &Program, c: &Contraction) -> Option<Dot> {
        let dot = Dot::of_types(program, c).or_else(|| Dot::if_converted(program, c))?;
        let &innermost = c.reduced.last()?;
        let unguarded = c.vectors().all(|vector| conditions(program, vector).is_empty());
        let usable = program.extent(innermost)? % dot.group() == 0 && unguarded && !c.is_lanewise(program);
        usable.then_some(dot)
    }

    /// What a device multiplies vectors of in place of this, if it has an instruction for it.
    pub fn by_vectors(self, profile: &DeviceProfile) -> Option<Dot> {
        match self {
            Dot::Bf16 => profile.dot_bf16.then_some(self),
            Dot::Unsigned | Dot::Signed if profile.dot_int8 => Some(self),
            _ => profile.pairs_int8.then_some(Dot::Pairs),
        }
    }

    /// Whether it has one that multiplies tiles of them.
    pub fn has_tiles(self, profile: &DeviceProfile) -> bool {
        if self == Dot::Bf16 { profile.amx_bf16 } else { profile.amx_int8 }
    }

    /// How many neighbours an instruction takes; together they are four bytes, as wide as it takes them.
    pub fn group(self) -> i64 {
        if self == Dot::Pairs { 2 } else { 4 / self.bytes() }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> i64 {
        if self == Dot::Bf16 { 2 } else { 1 }
    }

    /// Whether the registers have room for tiles of these sizes.
    pub fn fits(self, c: &Contraction, program: &Program, [rows, vectors]: [i64; 2], profile: &DeviceProfile) -> bool {
        if self == Dot::Pairs {
            return vectors <= PAIRS_VECTORS;
        }
        let form = Form::of(profile);
        let sums = rows + i64::from(finds_shift_inside(c, program, self));
        let most = if form == Form::Zmm { MOST_VECTORS - 1 } else { 2 };
        vectors <= most && sums * vectors <= Frame::registers_for_sums(form, vectors)
    }

    /// How many registers there are for the sums of a tile and what they are made of; [`Dot::Pairs`] has a part of them there at a time.
    pub fn registers(self, profile: &DeviceProfile) -> i64 {
        if self == Dot::Pairs { 32 } else { profile.vector_registers() }
    }

    /// Sums that keep the units busy: each waits four to six cycles for the one before, and two instructions start in each.
    fn in_flight(self) -> i64 {
        if self == Dot::Bf16 { 12 } else { 8 }
    }

    pub(super) fn instruction(self) -> &'static str {
        if self == Dot::Bf16 { "vdpbf16ps" } else { "vpdpbusd" }
    }
}

/// Whether a table has room for all lines of the innermost loop.
fn has_few_lines(program: &Program, c: &Contraction) -> bool {
    let (_, outer) = c.reduced.split_last().expect("a sum runs over something");
    program.points(outer).is_some_and(|lines| lines <= Dot::MOST_LINES)
}

/// The last group of the innermost loop, where rows end inside of it. Columns are zero from there on, but what follows a row may be no number, or
/// no memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::schedule) struct Tail {
    /// The condition that says where they end.
    pub condition: E,
    /// How many elements of the group count.
    pub elements: i64,
}

impl Tail {
    /// Finds it; there is a whole group before it.
    pub fn of(program: &Program, c: &Contraction, dot: Dot) -> Option<Tail> {
        let &innermost = c.reduced.last()?;
        let conditions = conditions(program, c.broadcast);
        let mut decided = conditions.into_iter().filter(|&condition| program.depends_on(condition, innermost));
        let (Some(condition), None) = (decided.next(), decided.next()) else { return None };
        let Node::Binary(BinaryOp::Lt, at, limit) = *program.node(condition) else { return None };
        let (length, group) = (program.value(limit)?, dot.group());
        let elements = length % group;
        let ends_inside = matches!(*program.node(at), Node::Axis(axis) if axis == innermost)
            && length > group
            && elements > 0
            && length - elements + group == program.extent(innermost)?;
        ends_inside.then_some(Tail { condition, elements })
    }
}

/// Whether the vector factors lie in panels whose rows are groups, those of one sum after those of another.
pub(super) fn is_grouped(program: &Program, c: &Contraction, dot: Dot, width: i64) -> bool {
    let Some(&innermost) = c.reduced.last() else { return false };
    if c.converts(program) {
        return false;
    }
    let at = |vector: E, step: i64, column: i64| {
        let Node::Load { offset, .. } = *program.node(vector) else { return None };
        program.evaluate(offset, &|axis| {
            Some(if axis == innermost {
                step
            } else if axis == c.columns {
                column
            } else {
                0
            })
        })
    };
    let group = dot.group();
    let extent = program.extent(innermost).unwrap_or(0);
    let row = width * c.sums();
    let expected = |step: i64, column: i64| step / group * group * row + column * group + step % group;
    let last = width - 1;
    let first = at(c.vector, 0, 0);
    c.vectors().zip(0..).all(|(vector, number)| {
        let steps = [(0, 0), (1, 0), (group - 1, 1), (group, last), (group, 0)];
        steps.into_iter().filter(|&(step, _)| step < extent).all(|(step, column)| {
            let there = at(vector, step, column).zip(first);
            there.is_some_and(|(there, here)| there - here == expected(step, number * width + column))
        })
    })
}

/// The type that sums have in memory where they are all that is stored, side by side.
fn stored_sums(program: &Program, stage: &Stage, c: &Contraction) -> Option<DataType> {
    let [store] = &stage.stores[..] else { return None };
    let data_type = program.tensor(store.tensor).data_type;
    let fits = match program.ty(c.sum) {
        Ty::F32 => matches!(data_type, DataType::Bf16 | DataType::F32),
        Ty::S32 => matches!(data_type, DataType::S32 | DataType::S8 | DataType::U8),
        _ => false,
    };
    (fits && store.value == c.sum && program.constant_step(store.offset, c.columns) == Some(1)).then_some(data_type)
}

/// Rows up to which what is taken away from signed sums is found along with them: there are registers left, and columns are read once.
const FEW_ROWS: i64 = 5;
/// How many of the last rows a line of a tile may be without, so that nothing is computed for them.
const MOST_LACKING: i64 = 2;
/// Tiles that are computed at once: of the usual ones, of those in which little is added up, as far as their sums and tables take no more
/// bytes than this, and of those whose columns are made wider first.
const AT_ONCE: i64 = 4;
const SHORT_AT_ONCE: i64 = 16;
const MOST_BYTES: i64 = 12 << 10;
pub(super) const PAIRS_AT_ONCE: i64 = 16;
/// Multiplications of a tile in which little is added up.
const FEW_PRODUCTS: i64 = 2048;

/// Whether what is taken away from signed sums is found along with them.
fn finds_shift_inside(c: &Contraction, program: &Program, dot: Dot) -> bool {
    dot == Dot::Signed && c.row_count(program).is_some_and(|rows| rows <= FEW_ROWS)
}

impl Frame {
    /// How tiles of these sizes are computed; `guarded` where rows do not always count.
    pub fn of(
        program: &Program,
        stage: &Stage,
        c: &Contraction,
        dot: Dot,
        tile: &Tile,
        guarded: bool,
        profile: &DeviceProfile,
    ) -> Frame {
        let tail = Tail::of(program, c, dot).map_or(0, |tail| tail.elements * dot.bytes());
        let (form, saved) = (Form::of(profile), Form::saved(profile));
        let inside = finds_shift_inside(c, program, dot);
        let lacking = guarded && !inside;
        let least = i64::from(tile.full.is_some());
        let lacks_last = if lacking { (tile.rows - 2).clamp(least, MOST_LACKING) } else { least };
        let lacks_first = lacking && tile.rows > 1;
        let (rows, vectors) = (tile.rows, tile.vectors);
        let stored = stored_sums(program, stage, c).filter(|_| dot != Dot::Pairs && form == Form::Zmm);
        let (at_once, rounds) = (AT_ONCE, dot == Dot::Bf16 && stored == Some(DataType::Bf16));
        // Columns that end within a panel are stored one by one.
        let is_whole = program.extent(c.columns).is_some_and(|columns| columns % c.width(tile) == 0);
        let stores = stored.filter(|_| is_whole);
        // What windows see, the tiles before have mostly read.
        let is_far = read(program, c.broadcast).into_iter().any(|tensor| kernel::is_far(program, tensor));
        let asks = c.reduced.len() == 1 && dot != Dot::Pairs && is_far;
        let each = (rows + i64::from(inside)) * vectors;
        let in_turns = dot != Dot::Pairs
            && rows * vectors < dot.in_flight()
            && 2 * each <= Frame::registers_for_sums(form, vectors);
        let mut frame = Frame {
            dot,
            form,
            saved,
            rows,
            vectors,
            inside,
            lacks_first,
            lacks_last,
            at_once,
            asks,
            tail,
            rounds,
            stores,
            in_turns,
        };
        if dot == Dot::Pairs {
            frame.at_once = PAIRS_AT_ONCE;
        } else if let Some(steps) = program.points(&c.reduced)
            && steps / dot.group() * frame.sums() <= FEW_PRODUCTS
        {
            let lines = c.reduced.split_last().and_then(|(_, outer)| program.points(outer)).unwrap_or(0);
            let sums = if frame.keeps_sums() { frame.sums() } else { 0 };
            let bytes = sums * form.bytes() + lines * frame.line() * 8;
            frame.at_once = (MOST_BYTES / bytes).clamp(AT_ONCE, SHORT_AT_ONCE);
        }
        frame
    }
}
