//! As much of the wire format of Protocol Buffers as the ONNX export needs.

/// A message that is being written: fields one after the other.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// A whole number, not negative.
    #[must_use]
    pub(super) fn number(mut self, field: u32, value: u64) -> Self {
        self.key(field, 0);
        self.varint(value);
        self
    }

    /// Numbers in one block.
    #[must_use]
    pub(super) fn numbers(mut self, field: u32, values: &[u64]) -> Self {
        let mut block = Self::new();
        for &value in values {
            block.varint(value);
        }
        self.push(field, &block.0);
        self
    }

    #[must_use]
    pub(super) fn text(mut self, field: u32, text: &str) -> Self {
        self.push(field, text.as_bytes());
        self
    }

    #[must_use]
    pub(super) fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.push(field, bytes);
        self
    }

    #[must_use]
    pub(super) fn message(mut self, field: u32, message: &Self) -> Self {
        self.push(field, &message.0);
        self
    }

    #[must_use]
    pub(super) fn messages<'a>(
        self,
        field: u32,
        messages: impl IntoIterator<Item = &'a Self>,
    ) -> Self {
        messages
            .into_iter()
            .fold(self, |whole, message| whole.message(field, message))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A field with its length before it.
    fn push(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    /// Seven bits a byte, the lowest first; all but the last have the top bit set.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_says() {
        assert_eq!(Message::new().number(1, 150).into_bytes(), [8, 0x96, 1]);
        assert_eq!(
            Message::new().text(2, "hi").into_bytes(),
            [0x12, 2, b'h', b'i']
        );
        let inner = Message::new().number(1, 1);
        assert_eq!(
            Message::new().message(20, &inner).into_bytes(),
            [0xa2, 1, 2, 8, 1]
        );
        assert_eq!(
            Message::new().numbers(4, &[3, 270]).into_bytes(),
            [0x22, 3, 3, 0x8e, 2]
        );
    }
}
