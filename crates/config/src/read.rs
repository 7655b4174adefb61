//! One configuration file: from its read to a layer, to nothing, or to an error.

use std::io;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;

use crate::text_index::TextIndex;
use crate::{ConfigError, ConfigLayerEntry, ConfigLayerSource};

/// Largest configuration file, in bytes (1 MiB).
pub const MAX_CONFIG_FILE_BYTES: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A file that would be a layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerFile {
    pub(crate) source: ConfigLayerSource,
    pub(crate) file: PathUri,
}

/// Reads the layer of `file`: one `read_file`, nothing before it.
///
/// Not the first bytes alone: the limit is so large that a remote would fetch them block by block,
/// which takes further round trips, and the rare file past it costs no more memory than any other
/// whole read.
pub(crate) async fn read_layer(
    filesystem: &dyn ExecutorFileSystem,
    file: &LayerFile,
) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    let answer = filesystem.read_file(&file.file, None).await;
    let bytes = answer.as_ref().ok().map(Vec::len);
    tracing::trace!(file = %file.file, bytes, "read configuration file");
    judge_answer(file, answer)
}

fn judge_answer(
    file: &LayerFile,
    answer: io::Result<Vec<u8>>,
) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    let fail = |source| ConfigError::Read {
        source_layer: file.source.clone(),
        file: file.file.clone(),
        source,
    };
    let bytes = match answer {
        Err(error) if is_absent(&file.source, error.kind()) => return Ok(None),
        Err(error) => return Err(fail(error)),
        Ok(bytes) if bytes.len() > MAX_CONFIG_FILE_BYTES => {
            let limit = format!("larger than {MAX_CONFIG_FILE_BYTES} bytes");
            return Err(fail(io::Error::new(io::ErrorKind::FileTooLarge, limit)));
        }
        Ok(bytes) => bytes,
    };
    ConfigLayerEntry::from_toml_text(file.source.clone(), decode(file, &bytes)?).map(Some)
}

/// A `.codex` that is a file holds no configuration; a config home that is one is a mistake.
fn is_absent(source: &ConfigLayerSource, kind: io::ErrorKind) -> bool {
    let is_project = matches!(source, ConfigLayerSource::Project { .. });
    kind == io::ErrorKind::NotFound || (is_project && kind == io::ErrorKind::NotADirectory)
}

/// The text, still with its byte order mark: removing it is part of parsing a layer.
fn decode<'a>(file: &LayerFile, bytes: &'a [u8]) -> Result<&'a str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = valid.strip_prefix(BYTE_ORDER_MARK).unwrap_or(valid);
        let before = String::from_utf8_lossy(valid);
        ConfigError::InvalidToml {
            source_layer: file.source.clone(),
            file: file.file.clone(),
            position: TextIndex::new(&before).position(before.len()),
            message: "invalid UTF-8".to_owned(),
        }
    })
}
