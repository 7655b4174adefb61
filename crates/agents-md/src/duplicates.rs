//! Which kept documents say what an earlier one, or the user-level text, says already.
//!
//! Pure. Only documents that are part of the result take part, and only whole ones: the parts two
//! cuts leave may be the same where the documents are not. Both stay; this only finds them.

use std::collections::{BTreeMap, HashMap};

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

use crate::answers::{EnvironmentAnswers, Progress};
use crate::document::Judgement;
use crate::read::DocumentAnswer;
use crate::user::UserInstructions;

/// A text that came first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Earlier {
    pub(crate) path: PathUri,
    /// `None` for the user-level text.
    pub(crate) environment_id: Option<EnvironmentId>,
}

/// The repeated documents of one environment: position among its chosen documents, and what each
/// repeats.
pub(crate) type Duplicates = BTreeMap<usize, Earlier>;

/// The repeated documents of each environment, in the given order.
pub(crate) fn find_duplicates(
    user: Option<&UserInstructions>,
    environments: &[EnvironmentAnswers<'_>],
) -> Vec<Duplicates> {
    let mut seen: HashMap<&str, Earlier> = HashMap::new();
    if let Some(user) = user {
        let path = PathUri::from_abs_path(&user.source);
        seen.insert(
            user.text.trim(),
            Earlier {
                path,
                environment_id: None,
            },
        );
    }
    let mut duplicates = Vec::with_capacity(environments.len());
    for environment in environments {
        let mut repeated = Duplicates::new();
        for (position, path, text) in whole_documents(environment) {
            match seen.get(text) {
                Some(earlier) => {
                    repeated.insert(position, earlier.clone());
                }
                None => {
                    let environment_id = Some(environment.turn.environment_id.clone());
                    seen.insert(
                        text,
                        Earlier {
                            path: path.clone(),
                            environment_id,
                        },
                    );
                }
            }
        }
        duplicates.push(repeated);
    }
    duplicates
}

/// Position, path and trimmed text of the whole documents that an environment contributes.
fn whole_documents<'a>(
    environment: &'a EnvironmentAnswers<'_>,
) -> impl Iterator<Item = (usize, &'a PathUri, &'a str)> {
    let searched = match &environment.progress {
        Progress::Searched(searched) if searched.error().is_none() => Some(searched),
        _ => None,
    };
    let answered = searched.into_iter().flat_map(|searched| {
        searched
            .candidates
            .chosen()
            .zip(&searched.documents.documents)
    });
    answered
        .enumerate()
        .filter_map(|(position, (document, answer))| match answer {
            DocumentAnswer::Judged(Judgement::Kept(kept)) if !kept.is_cut() => {
                Some((position, &document.path, kept.text.trim()))
            }
            _ => None,
        })
}
