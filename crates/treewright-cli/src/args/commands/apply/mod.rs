//! Commands that apply a model, or hand it on.

mod export;
mod predict;
mod score;
mod show;

pub(crate) use export::{ExportArgs, ExportForm};
pub(crate) use predict::PredictArgs;
pub(crate) use score::ScoreArgs;
pub(crate) use show::ShowArgs;
