//! Trees in the formats that programs exchange: ONNX and PMML, on what their containers need (`protobuf`, `xml`).

pub mod onnx;
pub mod pmml;
mod protobuf;
pub(super) mod xml;
