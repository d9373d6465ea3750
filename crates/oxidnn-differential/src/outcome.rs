//! What one library made of one case, and its form on the wire between processes.

use std::io::{self, Read, Write};

/// An output tensor as a library left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The argument's index.
    pub index: i32,
    /// The elements' bits in row-major order.
    pub bits: Vec<u64>,
    /// What is wrong besides the values: padding, guard bytes, gaps.
    pub faults: Vec<String>,
}

/// The answer of one library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The primitive ran.
    Ran {
        /// Bytes of each argument's descriptor, in the order of the case's arguments.
        sizes: Vec<u64>,
        /// The outputs in the order of the case's outputs.
        outputs: Vec<Output>,
    },
    /// A call returned an error.
    Refused {
        /// What was being done.
        stage: String,
        /// The status.
        status: i32,
    },
    /// The process died or hung.
    Crashed(String),
}

impl Outcome {
    /// Whether the library said that it does not implement this.
    pub fn is_unimplemented(&self) -> bool {
        matches!(self, Outcome::Refused { status: 3, .. })
    }

    /// Writes it.
    pub fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let mut message = Vec::new();
        let number = |message: &mut Vec<u8>, value: u64| message.extend(value.to_le_bytes());
        let text = |message: &mut Vec<u8>, value: &str| {
            number(message, value.len() as u64);
            message.extend(value.bytes());
        };
        match self {
            Outcome::Ran { sizes, outputs } => {
                number(&mut message, 0);
                number(&mut message, sizes.len() as u64);
                sizes.iter().for_each(|size| number(&mut message, *size));
                number(&mut message, outputs.len() as u64);
                for output in outputs {
                    number(&mut message, output.index as u64);
                    number(&mut message, output.bits.len() as u64);
                    output.bits.iter().for_each(|bits| number(&mut message, *bits));
                    number(&mut message, output.faults.len() as u64);
                    output.faults.iter().for_each(|fault| text(&mut message, fault));
                }
            }
            Outcome::Refused { stage, status } => {
                number(&mut message, 1);
                text(&mut message, stage);
                number(&mut message, *status as u64);
            }
            Outcome::Crashed(how) => {
                number(&mut message, 2);
                text(&mut message, how);
            }
        }
        to.write_all(&message)?;
        to.flush()
    }

    /// Reads one.
    pub fn receive(from: &mut impl Read) -> io::Result<Outcome> {
        fn number(from: &mut impl Read) -> io::Result<u64> {
            let mut bytes = [0; 8];
            from.read_exact(&mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        }
        fn numbers(from: &mut impl Read) -> io::Result<Vec<u64>> {
            let mut bytes = vec![0; number(from)? as usize * 8];
            from.read_exact(&mut bytes)?;
            Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
        }
        fn text(from: &mut impl Read) -> io::Result<String> {
            let mut bytes = vec![0; number(from)? as usize];
            from.read_exact(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Ok(match number(from)? {
            0 => {
                let sizes = numbers(from)?;
                let mut outputs = Vec::new();
                for _ in 0..number(from)? {
                    let index = number(from)? as i32;
                    let bits = numbers(from)?;
                    let mut faults = Vec::new();
                    for _ in 0..number(from)? {
                        faults.push(text(from)?);
                    }
                    outputs.push(Output { index, bits, faults });
                }
                Outcome::Ran { sizes, outputs }
            }
            1 => {
                let stage = text(from)?;
                Outcome::Refused { stage, status: number(from)? as i32 }
            }
            2 => Outcome::Crashed(text(from)?),
            other => return Err(io::Error::other(format!("message kind {other}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_survive_the_wire() {
        let output = Output { index: -5, bits: vec![1, u64::MAX], faults: vec!["padding".to_string()] };
        for outcome in [
            Outcome::Ran { sizes: vec![3, 4], outputs: vec![output] },
            Outcome::Refused { stage: "execute".to_string(), status: 3 },
            Outcome::Crashed("signal".to_string()),
        ] {
            let mut wire = Vec::new();
            outcome.send(&mut wire).unwrap();
            assert_eq!(Outcome::receive(&mut wire.as_slice()).unwrap(), outcome);
        }
    }
}
