//! What follows the sums of a tile: the rest of the expression, and the stores.
//!
//! Where little follows it is written out for each vector, and sums are stored right from their registers. Else they go to an
//! array, and a loop goes through it.

use super::Contraction;
use super::kernel::{Edge, Kernel};
use super::positions::Position;
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Operations after the sum that are written out for each vector.
pub(super) const SHORT_EPILOGUE: usize = 4;
/// Columns that are stored at a time where they do not fill a vector.
const FEW_LANES: i64 = 4;

/// How many operations follow a sum, where that are few.
pub(super) fn follow(program: &Program, stage: &Stage, sum: E) -> usize {
    let mut left: Vec<E> = stage.stores.iter().map(|store| store.value).collect();
    let mut operations = 0;
    while let Some(e) = left.pop() {
        if e != sum && operations <= SHORT_EPILOGUE {
            operations += usize::from(!matches!(program.node(e), Node::Load { .. }));
            left.extend(program.operands(e).into_iter().filter(|&e| program.ty(e) != Ty::Index));
        }
    }
    operations
}

/// Whether columns of all results lie side by side.
fn stores_side_by_side(program: &Program, stage: &Stage, c: &Contraction) -> bool {
    stage.stores.iter().all(|store| program.constant_step(store.offset, c.columns) == Some(1))
}

/// Whether vectors of columns can be stored from any of these on, and again: they lie side by side, and nothing is added to what
/// is there.
pub(super) fn can_overlap(program: &Program, stage: &Stage, c: &Contraction) -> bool {
    let follows = program.outside_of_reductions(program.roots(stage));
    let is_written = |tensor: TensorId| {
        let written = stage.stores.iter().map(|store| program.tensor(store.tensor).binding);
        written.into_iter().any(|binding| binding == program.tensor(tensor).binding)
    };
    let is_plain = |&e: &E| match *program.node(e) {
        Node::Load { tensor, .. } => !is_written(tensor) && !program.tensor(tensor).data_type.is_sub_byte(),
        _ => program.ty(e) != Ty::Index || program.is_linear(e, c.columns),
    };
    stores_side_by_side(program, stage, c) && follows.iter().all(is_plain)
}

impl Kernel {
    fn open_rows(&self, emitter: &mut Emitter<'_>) {
        let inside = if self.exact { "" } else { " && m0 + r < rows" };
        let count = match self.full.and(self.frame) {
            Some(_) => "count".into(),
            None => self.tile.rows.to_string(),
        };
        let first = Position::of(emitter, &self.program, &self.tile.row_axes, "m0");
        first.open_loop(emitter, &self.program, &format!("r < {count}{inside}"));
    }

    /// Epilogue and stores of a tile whose columns are all computed.
    pub(super) fn store_tile(&self, emitter: &mut Emitter<'_>, columns: &str) {
        let whole: Vec<usize> = (0..self.tile.vectors as usize).collect();
        if self.frame.is_some_and(|frame| frame.rounds) {
            return self.store_rounded(emitter, columns);
        }
        if matches!(self.edge, Edge::Exact | Edge::Overlapping) {
            return self.store_vectors(emitter, &whole, "n0");
        }
        emitter.open(format!("if (n0 + {} <= {columns})", self.width));
        self.store_vectors(emitter, &whole, "n0");
        emitter.close();
        emitter.open("else");
        let filled = self.filled_vectors();
        if filled > 0 {
            emitter.open("");
            self.store_vectors(emitter, &whole[..filled], "n0");
            emitter.close();
        }
        if filled > 0 && can_overlap(&self.program, &self.stage, &self.c) {
            self.store_last(emitter, columns);
        } else {
            self.store_elements(emitter, columns, filled as i64 * self.c.lanes);
        }
        emitter.close();
    }

    /// Stores the sums of a tile that are rounded already.
    fn store_rounded(&self, emitter: &mut Emitter<'_>, columns: &str) {
        let Kernel { stage, c, width, .. } = self;
        let store = &stage.stores[0];
        let words = c.lanes / 2;
        self.open_rows(emitter);
        emitter.bind(c.columns, "n0");
        let start = emitter.scalar(store.offset);
        emitter.line(format!("const ushort *from = (const ushort *)tile + r * {width};"));
        emitter.line(format!("__global ushort *to = {} + {start};", emitter.tensor_argument(store.tensor)));
        emitter.line(format!("const int count = (int)min({columns} - n0, ({}){width});", emitter.index_type()));
        emitter.line("int n = 0;");
        emitter.set_lanes(Some((c.columns, words as usize)));
        emitter.open(format!("for (; n + {} <= count; n += {})", c.lanes, c.lanes));
        emitter.store_words(&format!("vload{words}(0, (const uint *)(from + n))"), "to + n");
        emitter.close();
        emitter.set_lanes(None);
        if self.edge != Edge::Exact {
            emitter.line("for (; n < count; ++n) to[n] = from[n];");
        }
        emitter.close();
    }

    /// How many vectors of the last panel the columns fill, where these can be stored apart from the others.
    fn filled_vectors(&self) -> usize {
        let columns = self.program.extent(self.c.columns).unwrap_or(0);
        if self.c.more.is_empty() { (columns % self.width / self.c.lanes) as usize } else { 0 }
    }

    /// Epilogue and stores of a whole tile, a vector at a time, from the column named `first`; past the caches or not.
    pub(super) fn store_vectors(&self, emitter: &mut Emitter<'_>, vectors: &[usize], first: &str) {
        let Some(past_caches) = self.past_caches else { return self.store_columns(emitter, vectors, first) };
        let condition = emitter.scalar(past_caches);
        emitter.open(format!("if ({condition})"));
        emitter.set_streaming(Some("1".into()));
        self.store_columns(emitter, vectors, first);
        emitter.set_streaming(None);
        emitter.close();
        emitter.open("else");
        self.store_columns(emitter, vectors, first);
        emitter.close();
    }

    fn store_columns(&self, emitter: &mut Emitter<'_>, vectors: &[usize], first: &str) {
        if !self.is_straight() {
            self.store_rows(emitter, vectors, first);
        } else if self.exact {
            self.store_registers(emitter, vectors, first);
        } else {
            emitter.open(format!("if (m0 + {} <= rows)", self.tile.rows));
            self.store_registers(emitter, vectors, first);
            emitter.close();
            emitter.open("else");
            self.store_rows(emitter, vectors, first);
            emitter.close();
        }
    }

    /// Whether sums are in registers, and what follows them is so short that it can be written out for each.
    fn is_straight(&self) -> bool {
        let short = || follow(&self.program, &self.stage, self.c.sum) <= SHORT_EPILOGUE;
        self.in_registers() && self.c.more.is_empty() && short()
    }

    /// Whether sums have names, rather than places in an array.
    fn in_registers(&self) -> bool {
        self.frame.is_none() && self.amx.is_none() && !self.streams_to_array()
    }

    /// Brings the sums to memory, so that what follows them is written once, as a loop.
    fn gather(&self, emitter: &mut Emitter<'_>, vectors: &[usize]) {
        if self.in_registers() {
            let sums = (0..self.tile.rows).flat_map(|r| vectors.iter().map(move |v| format!("acc{r}_{v}_")));
            let sums: Vec<String> = sums.collect();
            emitter.set_lanes(Some((self.lane, self.c.lanes as usize)));
            let vector_type = emitter.type_name(self.program.ty(self.c.sum), true);
            emitter.set_lanes(None);
            emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", sums.len(), sums.join(", ")));
        }
    }

    fn store_registers(&self, emitter: &mut Emitter<'_>, vectors: &[usize], first: &str) {
        let c = &self.c;
        let mut position = Position::of(emitter, &self.program, &self.tile.row_axes, "m0");
        for r in 0..self.tile.rows {
            if r > 0 {
                position = position.next(emitter, &self.program, "1");
            }
            emitter.open("");
            position.bind(emitter, &self.tile.row_axes);
            emitter.set_lanes(Some((c.columns, c.lanes as usize)));
            for (at, v) in vectors.iter().enumerate() {
                let column = self.first_column(emitter, first, &(at as i64 * c.lanes).to_string());
                emitter.bind(c.columns, column);
                emitter.define(c.sum, Value { text: format!("acc{r}_{v}_"), vector: true });
                self.stage.stores.iter().for_each(|store| emitter.store(store));
            }
            emitter.set_lanes(None);
            emitter.close();
        }
    }

    fn store_rows(&self, emitter: &mut Emitter<'_>, vectors: &[usize], first: &str) {
        let c = &self.c;
        self.gather(emitter, vectors);
        self.open_rows(emitter);
        let each = vectors.len() as i64 / c.sums();
        // What is gathered has these vectors alone.
        let vectors = if self.in_registers() { vectors.len() as i64 } else { self.tile.vectors };
        emitter.open(format!("for (int v = 0; v < {each}; ++v)"));
        emitter.set_lanes(Some((c.columns, c.lanes as usize)));
        let column = self.first_column(emitter, first, &format!("v * {}", c.lanes));
        emitter.bind(c.columns, column);
        emitter.define(c.sum, Value { text: format!("tile[r * {vectors} + v]"), vector: true });
        for (&(sum, _), number) in c.more.iter().zip(1..) {
            emitter.define(sum, Value { text: format!("tile[r * {vectors} + {} + v]", number * each), vector: true });
        }
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();
        emitter.close();
    }

    /// The first column of a vector that is some columns from the first one of a panel.
    fn first_column(&self, emitter: &mut Emitter<'_>, first: &str, distance: &str) -> String {
        let Kernel { program, c, width, .. } = self;
        let is_single = program.extent(c.columns).is_some_and(|columns| columns < *width);
        if self.edge == Edge::Overlapping && is_single {
            let columns = emitter.scalar(program.axis(c.columns).extent);
            return format!("min({first} + {distance}, {columns} - {})", c.lanes);
        }
        format!("({first} + {distance})")
    }

    /// Epilogue and stores of the vector of each row that ends with the last column.
    fn store_last(&self, emitter: &mut Emitter<'_>, columns: &str) {
        let Kernel { program, c, width, .. } = self;
        let (scalar, lanes) = (emitter.type_name(program.ty(c.sum), false), c.lanes);
        let whole: Vec<usize> = (0..self.tile.vectors as usize).collect();
        self.gather(emitter, &whole);
        self.open_rows(emitter);
        emitter.set_lanes(Some((c.columns, lanes as usize)));
        emitter.bind(c.columns, format!("({columns} - {lanes})"));
        let sums = format!("vload{lanes}(0, (const {scalar} *)tile + r * {width} + ({columns} - {lanes} - n0))");
        emitter.define(c.sum, Value { text: sums, vector: true });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();
    }

    /// Epilogue and stores of a tile that reaches beyond the last column, a few elements or one at a time, without its first columns.
    fn store_elements(&self, emitter: &mut Emitter<'_>, column_count: &str, stored: i64) {
        let Kernel { program, c, width, .. } = self;
        let (index, scalar) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), false));
        let whole: Vec<usize> = (0..self.tile.vectors as usize).collect();
        self.gather(emitter, &whole);
        self.open_rows(emitter);
        emitter.line(format!("{index} n = n0 + {stored};"));
        emitter.bind(c.columns, "n");
        if c.lanes > FEW_LANES && c.more.is_empty() && stores_side_by_side(&self.program, &self.stage, &self.c) {
            emitter.open(format!("for (; n + {FEW_LANES} <= {column_count}; n += {FEW_LANES})"));
            emitter.set_lanes(Some((c.columns, FEW_LANES as usize)));
            let sums = format!("vload{FEW_LANES}(0, (const {scalar} *)tile + r * {width} + (n - n0))");
            emitter.define(c.sum, Value { text: sums, vector: true });
            self.stage.stores.iter().for_each(|store| emitter.store(store));
            emitter.set_lanes(None);
            emitter.close();
        }
        emitter.open(format!("for (; n < {column_count}; ++n)"));
        let sum = format!("((const {scalar} *)tile)[r * {width} + (n - n0)]");
        emitter.define(c.sum, Value { text: sum, vector: false });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }

    /// The columns that do not fill a vector, each with its own sum.
    pub(super) fn element_by_element(&self, emitter: &mut Emitter<'_>, column_count: &str) {
        let index = emitter.index_type();
        self.open_rows(emitter);
        emitter.open(format!("for ({index} n = rest; n < {column_count}; ++n)"));
        emitter.bind(self.c.columns, "n");
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}
