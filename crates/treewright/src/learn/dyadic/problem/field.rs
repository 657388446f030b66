//! The place of a coordinate among the packed bits of a point.

/// The place of a coordinate among the words of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// The word, which it does not cross.
    pub(crate) word: u32,
    /// The lowest of its bits: the last halving.
    pub(crate) shift: u32,
    /// How many bits there are, at least one.
    pub(crate) bits: u32,
}

/// Bits in a word.
pub(super) const WORD: u32 = u64::BITS;

impl Field {
    /// Finds places for coordinates with these numbers of bits; also says how many words they take.
    pub(crate) fn lay_out(bits: &[u32]) -> (Vec<Self>, usize) {
        let (mut word, mut used) = (0, 0);
        let place = |&bits: &u32| {
            if used + bits > WORD {
                word += 1;
                used = 0;
            }
            used += bits;
            Self {
                word,
                shift: used - bits,
                bits,
            }
        };
        let fields: Vec<Self> = bits.iter().map(place).collect();
        (fields, word as usize + 1)
    }

    /// The bits of this coordinate within its word.
    pub(crate) fn mask(self) -> u64 {
        (u64::MAX >> (WORD - self.bits)) << self.shift
    }

    /// Given the bits in which points differ: the first halving that separates them, as the position of
    /// its bit in the word; `None` if none does.
    pub(crate) fn first_bit(self, differing: u64) -> Option<u32> {
        let bits = differing & self.mask();
        (bits != 0).then(|| WORD - 1 - bits.leading_zeros())
    }

    /// How many halvings come before the one of a bit.
    pub(crate) fn level(self, bit: u32) -> u32 {
        self.shift + self.bits - 1 - bit
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn coordinates_do_not_cross_words() {
        let (fields, n_words) = Field::lay_out(&[30, 30, 5, 64, 1]);
        assert_eq!(n_words, 4);
        let places: Vec<_> = fields.iter().map(|f| (f.word, f.shift)).collect();
        assert_eq!(places, [(0, 0), (0, 30), (1, 0), (2, 0), (3, 0)]);
        let field = fields[1];
        assert_eq!(field.first_bit(1 << 29), None);
        assert_eq!(field.first_bit(1 << 40 | 1 << 3), Some(40));
        assert_eq!(field.level(59), 0);
        assert_eq!(fields[3].mask(), u64::MAX);
    }
}
