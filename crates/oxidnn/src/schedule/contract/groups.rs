//! Kernels whose tiles are computed by dot products: tables for the assembly, some tiles at once, and then what follows their sums.

use super::LINE;
use super::dots::Dot;
use super::frame::{Frame, SAVED};
use super::kernel::Kernel;
use crate::codegen::opencl::Emitter;

impl Kernel {
    /// All tiles of a work-item, which has `steps` of them out of `sites`.
    pub(super) fn emit_groups(&self, emitter: &mut Emitter<'_>, frame: Frame, steps: &str, sites: &str, columns: &str) {
        let Kernel { program, c, .. } = self;
        let index = emitter.index_type();
        emitter.set_lanes(Some((self.lane, c.lanes as usize)));
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        emitter.bind(self.lane, "0");
        emitter.bind(self.panel, "panel");
        let (outer, inner) = self.loops.split_at(self.loops.len() - 1);
        emitter.bind(inner[0].axis, "0");
        let lines = program.points(outer.iter().map(|level| &level.axis)).unwrap_or(0);
        let extent = emitter.scalar(program.axis(inner[0].axis).extent);
        emitter.line(format!("const ulong bytes = (ulong){extent} * {};", frame.dot.bytes()));
        emitter.line(format!("{vector_type} frame[{}];", frame.size()));
        if self.shifts(frame) {
            self.shift_lines(emitter, frame, lines);
        }
        if frame.dot == Dot::Pairs {
            self.declare_pairs(emitter, frame);
        }
        emitter.line(format!("const {index} first = ({index})get_global_id(1) * {steps};"));
        emitter.line(format!("const {index} last = min(first + {steps}, ({index})({sites}));"));
        let at_once = frame.at_once;
        emitter.open(format!("for ({index} start = first; start < last; start += {at_once})"));
        emitter.line(format!("const {index} end = min(start + {at_once}, last);"));
        emitter.line(format!("ulong table[{}];", frame.table(lines)));
        if frame.dot == Dot::Pairs {
            self.clear_pairs(emitter, frame, lines);
        }
        // Volatile, so that compilers leave the loop alone: Intel's, of 2026.2, makes wrong vectors of it.
        emitter.line("volatile int filled = 0;");
        emitter.open(format!("for ({index} site = start; site < end; ++site)"));
        self.bind_site(emitter);
        self.fill_table(emitter, frame, lines);
        if frame.dot == Dot::Pairs {
            emitter.close();
            self.multiply_pairs(emitter, frame, lines);
        } else {
            emitter.line("table[filled] = 0;");
            emitter.line("filled += 1;");
            if frame.stores.is_some() {
                self.fill_results(emitter, frame);
            }
            emitter.close();
            emitter.line("table[filled] = 1;");
            let addresses: Vec<String> = (0..frame.rows).map(|r| format!("a{r}_")).collect();
            emitter.line(format!("ulong b_, i_, d_, {};", addresses.join(", ")));
            emitter.line("ulong *entry = table;");
            emitter.line(frame.assembly("frame", "entry"));
        }
        emitter.set_lanes(None);
        if frame.stores.is_some() {
            return emitter.close();
        }
        emitter.open(format!("for ({index} site = start; site < end; ++site)"));
        self.bind_site(emitter);
        emitter.line(format!("const {vector_type} *tile = frame + {SAVED} + (site - start) * {};", frame.sums()));
        self.store_tile(emitter, columns);
        emitter.close();
        emitter.close();
    }

    /// Whether what adding 128 to rows adds to the sums is found before them.
    fn shifts(&self, frame: Frame) -> bool {
        frame.dot == Dot::Signed && !frame.inside
    }

    /// Fills `shift` with what adding 128 to a row adds to its sums, for each step of the outer loops.
    fn shift_lines(&self, emitter: &mut Emitter<'_>, frame: Frame, lines: i64) {
        let Kernel { program, c, .. } = self;
        let index = emitter.index_type();
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        let outer = &self.loops[..self.loops.len() - 1];
        emitter.line(format!("{vector_type} shift[{}];", lines * frame.vectors));
        emitter.open("if (bytes > 0)");
        emitter.line(format!("{vector_type} *s_ = shift;"));
        for (depth, level) in outer.iter().enumerate() {
            let extent = emitter.scalar(program.axis(level.axis).extent);
            emitter.open(format!("for ({index} o{depth}_ = 0; o{depth}_ < {extent}; ++o{depth}_)"));
            emitter.bind(level.axis, format!("o{depth}_"));
        }
        let columns = emitter.address(self.vectors[0]);
        emitter.line(format!("ulong b_ = (ulong)({columns}), i_ = bytes;"));
        emitter.line(frame.shift("frame"));
        emitter.line(format!("s_ += {};", frame.vectors));
        outer.iter().for_each(|_| emitter.close());
        emitter.close();
    }

    /// The lines of a tile.
    fn fill_table(&self, emitter: &mut Emitter<'_>, frame: Frame, lines: i64) {
        let Kernel { program, c, .. } = self;
        let vector_type = emitter.type_name(program.ty(c.sum), true);
        self.bind_clamped_rows(emitter);
        self.ask_for_results(emitter);
        let shifts = self.shifts(frame);
        let (rows, vectors) = (frame.rows, frame.vectors);
        let common = frame.slot(rows - frame.lacks_last - 1);
        let mut own: Vec<i64> = (0..rows).filter(|&row| frame.slot(row) == row && row != common).collect();
        own.dedup();
        if shifts {
            emitter.line(format!("{vector_type} *tile = frame + {SAVED} + (site - start) * {};", frame.sums()));
            let sums: Vec<String> = (0..vectors).map(|v| format!("s{v}_ = 0")).collect();
            emitter.line(format!("{vector_type} {};", sums.join(", ")));
            for row in &own {
                (0..vectors).for_each(|v| emitter.line(format!("tile[{}] = 0;", row * vectors + v)));
            }
        }
        emitter.open("if (bytes > 0)");
        match self.interior {
            Some(interior) => {
                let interior = emitter.scalar(interior);
                emitter.open(format!("if ({interior})"));
                self.fill_lines(emitter, frame, lines, &own, false);
                emitter.close();
                emitter.open("else");
                self.fill_lines(emitter, frame, lines, &own, true);
                emitter.close();
            }
            None => self.fill_lines(emitter, frame, lines, &own, true),
        }
        emitter.close();
        if shifts {
            for v in 0..vectors {
                emitter.line(format!("tile[{}] = s{v}_;", common * vectors + v));
                own.iter().for_each(|row| emitter.line(format!("tile[{}] += s{v}_;", row * vectors + v)));
            }
        }
    }

    /// Where the sums of each row are stored; those of rows that are not there go to the frame.
    fn fill_results(&self, emitter: &mut Emitter<'_>, frame: Frame) {
        for (r, &start) in self.results.iter().enumerate() {
            let address = emitter.result_address(self.stage.stores[0].tensor, start);
            let is_last = r + 1 == self.results.len();
            let is_there = match self.full {
                Some(_) if is_last => format!("count == {}", frame.rows),
                None if !self.exact && r > 0 => format!("m0 + {r} < rows"),
                _ => "1".into(),
            };
            emitter.line(format!("table[filled + {r}] = {is_there} ? (ulong)({address}) : (ulong)(frame + {SAVED});"));
        }
        emitter.line(format!("filled += {};", frame.rows));
    }

    /// Asks for the lines of memory that a tile's results go to.
    fn ask_for_results(&self, emitter: &mut Emitter<'_>) {
        if !self.asks_for_results {
            return;
        }
        let tensor = self.stage.stores[0].tensor;
        let line = (LINE / self.program.tensor(tensor).data_type.bytes(1)).max(1);
        for &start in &self.results {
            (0..self.width).step_by(line).for_each(|ahead| emitter.ask_to_write(tensor, start, ahead));
        }
    }

    /// The lines of a tile, for each step of the outer loops; `asked` which rows count. `own` are those that signed sums know lines without.
    fn fill_lines(&self, emitter: &mut Emitter<'_>, frame: Frame, lines: i64, own: &[i64], asked: bool) {
        let (outer, inner) = self.loops.split_at(self.loops.len() - 1);
        let rows = frame.rows;
        let asked = asked && self.rows.iter().any(|row| row.present.is_some());
        let run = self.run.as_ref().filter(|_| !asked);
        let (outer, together) = outer.split_at(outer.len() - usize::from(run.is_some()));
        for (depth, level) in outer.iter().enumerate() {
            self.open_loop(emitter, level, &format!("o{depth}_"));
        }
        together.iter().for_each(|level| emitter.bind(level.axis, "0"));
        self.open_decided(emitter, &inner[0]);
        let mut present: Vec<Option<String>> =
            self.rows.iter().map(|row| row.present.filter(|_| asked).map(|present| emitter.scalar(present))).collect();
        if self.full.is_some()
            && let Some(last) = present.last_mut()
        {
            *last = Some(match last {
                Some(present) => format!("(count == {rows} && {present})"),
                None => format!("count == {rows}"),
            });
        }
        // Where no row counts there is nothing to add.
        let any: Vec<&str> = present.iter().flatten().map(String::as_str).collect();
        let asks = any.len() == self.rows.len();
        if asks {
            emitter.open(format!("if ({})", any.join(" || ")));
        }
        if frame.dot == Dot::Pairs {
            let line = self.line_number(emitter);
            emitter.line(format!("filled = (int)((site - start) * {lines} + {line}) * {};", frame.line()));
        }
        let columns = emitter.address(self.vectors[0]);
        emitter.line("ulong *line = table + filled;");
        emitter.line(format!("line[0] = (ulong)({columns});"));
        for (r, (row, present)) in self.rows.iter().zip(&present).enumerate() {
            self.bind_bases(emitter, r);
            let address = emitter.address(row.factors[0]);
            let address = match present {
                Some(present) => {
                    let zeros = emitter.zeros();
                    format!("{present} ? (ulong)({address}) : (ulong)({zeros})")
                }
                None => format!("(ulong)({address})"),
            };
            emitter.line(format!("line[{}] = {address};", r + 1));
        }
        let there = |back: i64| present[(rows - back) as usize].clone().unwrap_or_else(|| "1".into());
        let first = if frame.lacks_first { format!("!({})", there(rows)) } else { "0".into() };
        let last = match frame.lacks_last {
            0 => "0".into(),
            1 => format!("({} ? 0 : 2)", there(1)),
            _ => format!("({} ? 0 : {} ? 2 : 4)", there(1), there(2)),
        };
        emitter.line(format!("const int lacks = {first} + {last};"));
        let (steps, [row_step, column_step]) = match run {
            Some(run) => {
                let bytes = frame.dot.bytes();
                let steps = emitter.scalar(self.program.axis(together[0].axis).extent);
                let [row, column] = [run.row_step, run.column_step].map(|step| emitter.scalar(step));
                let walked = format!("(long)bytes * {}", self.width * self.c.sums());
                (steps, [format!("(long)({row}) * {bytes}"), format!("(long)({column}) * {bytes} - {walked}")])
            }
            None => ("1".into(), ["0".to_string(), "0".into()]),
        };
        let to_next = if frame.asks && rows > 1 {
            format!("(line[{rows}] - line[1]) / {} * {rows}", rows - 1)
        } else {
            "0".into()
        };
        let whole = if frame.tail > 0 { "bytes - 4" } else { "bytes" };
        for (place, name) in frame.line_ends() {
            let value = match name {
                "bytes" => whole,
                "count" => &steps,
                "row_step" => &row_step,
                "column_step" => &column_step,
                "to_next" => &to_next,
                name => name,
            };
            emitter.line(format!("line[{place}] = {value};"));
        }
        emitter.line(format!("filled += {};", frame.line()));
        if self.shifts(frame) {
            for level in together {
                self.open_loop(emitter, level, &format!("o{}_", outer.len()));
            }
            self.shift_sums(emitter, frame, own);
            together.iter().for_each(|_| emitter.close());
        }
        if asks {
            emitter.close();
        }
        emitter.close();
        outer.iter().for_each(|_| emitter.close());
    }

    /// Takes away from the sums what adding 128 to rows adds to them in a step of the outer loops.
    fn shift_sums(&self, emitter: &mut Emitter<'_>, frame: Frame, own: &[i64]) {
        let (rows, vectors) = (frame.rows, frame.vectors);
        let line = self.line_number(emitter);
        let at = |v: i64| format!("shift[{line} * {vectors} + {v}]");
        (0..vectors).for_each(|v| emitter.line(format!("s{v}_ -= {};", at(v))));
        for &row in own {
            let lacking = if row == 0 { "lacks % 2".into() } else { format!("lacks / 2 >= {}", rows - row) };
            emitter.open(format!("if ({lacking})"));
            (0..vectors).for_each(|v| emitter.line(format!("tile[{}] += {};", row * vectors + v, at(v))));
            emitter.close();
        }
    }

    /// The number of a step of the outer loops.
    fn line_number(&self, emitter: &mut Emitter<'_>) -> String {
        let outer = &self.loops[..self.loops.len() - 1];
        let mut line = "0".to_string();
        for (depth, level) in outer.iter().enumerate() {
            let extent = emitter.scalar(self.program.axis(level.axis).extent);
            line = if depth == 0 { format!("o{depth}_") } else { format!("({line} * {extent} + o{depth}_)") };
        }
        line
    }
}
