//! `host`: the context of sessions for hosts that are not written in Rust.
//!
//! A host starts the command and speaks JSON-RPC 2.0 with it over standard input and output, one message a
//! line: `context/load`, `context/refresh`, `context/close`, `skill/read`, the notification `cancel`, and
//! `progress` the other way. The service keeps the contexts that were loaded and not closed, and nothing else.
//! It ends when its input ends.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use codex_context::file_system::EnvironmentId;
use codex_context::plugin::SelectedCapabilityRoot;
use codex_context::{Context, ContextRequest};
use futures::StreamExt as _;
use futures::future::{AbortHandle, Abortable, FutureExt as _, LocalBoxFuture};
use futures::stream::FuturesUnordered;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::environments::target::{DirectoryChoice, EnvironmentChoice};
use crate::environments::{Arity, Start};
use crate::exit::Failure;
use crate::options::CommonOptions;
use crate::run::{CommandContext, CommandOutput, StartPoint};
use crate::{host as process, runtime};

mod protocol;

use protocol::{
    CancelParams, ContextParams, LoadParams, LoadedContext, Progress, ReadSkillParams,
    RefreshedContext, SkillFile,
};

/// The longest request, in bytes.
const MAX_REQUEST_BYTES: u64 = 1_048_576;
/// Most contexts that are kept; then the one that was loaded first goes.
const MAX_CONTEXTS: usize = 64;
/// How often progress is told.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(300);

/// `host`
#[derive(Debug, Args)]
pub(crate) struct HostArguments {
    /// Print the schema of the messages and end
    #[arg(long)]
    pub(crate) schema: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Serves until the input ends.
///
/// # Errors
/// When this machine has no threads or descriptors left.
pub(crate) fn run(
    arguments: &HostArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let nothing = |output: String| CommandOutput {
        output,
        diagnostics: Vec::new(),
    };
    if arguments.schema {
        let schema = serde_json::to_string_pretty(&protocol::schema())?;
        return Ok(nothing(schema + "\n"));
    }
    let runtime = runtime::on_this_thread().map_err(|error| {
        let what = "cannot prepare to serve a host";
        Failure::new(what, runtime::ADVICE).caused_by(error)
    })?;
    let service = Service {
        common: &arguments.common,
        context,
    };
    runtime.block_on(service.serve());
    Ok(nothing(String::new()))
}

/// A request or notification of the host.
#[derive(Debug, Deserialize)]
struct Request {
    id: Option<Value>,
    method: String,
    #[serde(default)]
    params: Value,
}

/// Why a request has no result, by the codes of JSON-RPC.
struct Refusal {
    code: i32,
    message: String,
    advice: Option<String>,
}

impl Refusal {
    fn new(code: i32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            advice: None,
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            code: LOAD_FAILED,
            message: failure.what(),
            advice: failure.advice(),
        }
    }
}

const PARSE_ERROR: i32 = -32700;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const LOAD_FAILED: i32 = -32000;
const CANCELLED: i32 = -32800;

/// What a request does to the contexts that are kept.
enum Effect {
    Keep(u64, Rc<Context>),
    Nothing,
}

type Answer = Result<(Value, Effect), Refusal>;
/// The id of a request, and its answer.
type Answered = (Value, Answer);

struct Service<'a> {
    common: &'a CommonOptions,
    context: &'a CommandContext,
}

/// The requests that are not answered and the contexts that are kept.
#[derive(Default)]
struct State<'a> {
    running: FuturesUnordered<LocalBoxFuture<'a, Answered>>,
    cancels: HashMap<String, AbortHandle>,
    contexts: HashMap<u64, Rc<Context>>,
    last_context: u64,
}

impl<'a> Service<'a> {
    async fn serve(&'a self) {
        let mut input = BufReader::new(tokio::io::stdin());
        let mut state = State::default();
        let mut progress = tokio::time::interval(PROGRESS_INTERVAL);
        let mut line = Vec::new();
        loop {
            let mut bounded = (&mut input).take(MAX_REQUEST_BYTES);
            tokio::select! {
                read = bounded.read_until(b'\n', &mut line) => {
                    let is_end = !matches!(read, Ok(bytes) if bytes > 0);
                    if is_end || !line.ends_with(b"\n") {
                        if !line.is_empty() && !is_end {
                            let message = format!("a request has more than {MAX_REQUEST_BYTES} bytes or no line end");
                            say_refused(&Value::Null, &Refusal::new(PARSE_ERROR, message));
                        }
                        return;
                    }
                    self.take(&line, &mut state);
                    line.clear();
                }
                Some((id, answer)) = state.running.next() => answered(&id, answer, &mut state),
                _ = progress.tick() => self.tell_progress(&state),
            }
        }
    }

    fn take(&'a self, line: &[u8], state: &mut State<'a>) {
        let request: Request = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                let message = format!("expected a JSON-RPC request on one line: {error}");
                return say_refused(&Value::Null, &Refusal::new(PARSE_ERROR, message));
            }
        };
        let Some(id) = request.id else {
            if request.method == "cancel"
                && let Ok(CancelParams { id }) = serde_json::from_value(request.params)
                && let Some(cancel) = state.cancels.get(&id.to_string())
            {
                cancel.abort();
            }
            return;
        };
        match self.start(&request.method, request.params, state) {
            Ok(work) => {
                let (cancel, registration) = AbortHandle::new_pair();
                state.cancels.insert(id.to_string(), cancel);
                let work = Abortable::new(work, registration).map(|done| {
                    let cancelled = || Err(Refusal::new(CANCELLED, "the request was cancelled"));
                    (id, done.unwrap_or_else(|_| cancelled()))
                });
                state.running.push(work.boxed_local());
            }
            Err(refusal) => say_refused(&id, &refusal),
        }
    }

    /// The work of a request.
    fn start(
        &'a self,
        method: &str,
        params: Value,
        state: &mut State<'a>,
    ) -> Result<LocalBoxFuture<'a, Answer>, Refusal> {
        match method {
            "context/load" => {
                let request = self.request(parsed(params)?)?;
                state.last_context += 1;
                Ok(load(state.last_context, request).boxed_local())
            }
            "context/refresh" => {
                let number = parsed::<ContextParams>(params)?.context;
                let known = state.known(number)?;
                Ok(refresh(number, known).boxed_local())
            }
            "context/close" => {
                let number = parsed::<ContextParams>(params)?.context;
                state.known(number)?;
                state.contexts.remove(&number);
                Ok(async { Ok((Value::Null, Effect::Nothing)) }.boxed_local())
            }
            "skill/read" => {
                let params: ReadSkillParams = parsed(params)?;
                let known = state.known(params.context)?;
                Ok(read_skill(params, known).boxed_local())
            }
            other => {
                let message = format!(
                    "no method is called `{}`; there are context/load, context/refresh, context/close and \
                     skill/read",
                    other.escape_debug()
                );
                Err(Refusal::new(METHOD_NOT_FOUND, message))
            }
        }
    }

    fn request(&self, params: LoadParams) -> Result<ContextRequest, Refusal> {
        let mut common = self.common.clone();
        common.environments.chosen.clear();
        common.environments.directories.clear();
        for environment in &params.environments {
            let id = &environment.id;
            let target = environment.target.as_deref().unwrap_or("local");
            let invalid = |field: &str, error: String| {
                Refusal::new(
                    INVALID_PARAMS,
                    format!("{field} of environment `{id}`: {error}"),
                )
            };
            let mut choice: EnvironmentChoice =
                target.parse().map_err(|error| invalid("target", error))?;
            choice.id = EnvironmentId::new(id)
                .map_err(|error| Refusal::new(INVALID_PARAMS, error.to_string()))?;
            let directory: DirectoryChoice = format!("{id}={}", environment.directory)
                .parse()
                .map_err(|error| invalid("directory", error))?;
            common.environments.chosen.push(choice);
            common.environments.directories.push(directory);
        }
        let plugins = params.plugins.iter();
        let plugins =
            plugins.map(|it| SelectedCapabilityRoot::parse(&it.id, &it.environment_id, &it.path));
        let plugins = plugins.collect::<Result<_, _>>();
        let plugins = plugins.map_err(|error: codex_context::plugin::InvalidCapabilityRoot| {
            Refusal::new(INVALID_PARAMS, error.to_string())
        })?;
        let start = Start {
            directory: process::uri(Path::new(""))?,
            needs_check: true,
        };
        let start = StartPoint::at(self.context, &common, &start, Arity::Several)?;
        Ok(ContextRequest {
            plugins,
            context_window: params.context_window,
            ..start.request
        })
    }

    fn tell_progress(&self, state: &State<'_>) {
        if state.running.is_empty() {
            return;
        }
        let ids = state.cancels.keys();
        let (calls, in_flight) = self.context.meter.calls_so_far();
        let progress = Progress {
            waiting: ids.filter_map(|id| serde_json::from_str(id).ok()).collect(),
            calls,
            in_flight,
        };
        say(&json!({"jsonrpc": "2.0", "method": "progress", "params": progress}));
    }
}

impl State<'_> {
    fn known(&self, number: u64) -> Result<Rc<Context>, Refusal> {
        self.contexts.get(&number).cloned().ok_or_else(|| {
            let message = format!("no context has the number {number}: load it first");
            Refusal::new(INVALID_PARAMS, message)
        })
    }
}

fn answered(id: &Value, answer: Answer, state: &mut State<'_>) {
    state.cancels.remove(&id.to_string());
    match answer {
        Ok((result, effect)) => {
            if let Effect::Keep(number, context) = effect {
                state.contexts.insert(number, context);
                if state.contexts.len() > MAX_CONTEXTS
                    && let Some(oldest) = state.contexts.keys().min().copied()
                {
                    state.contexts.remove(&oldest);
                }
            }
            say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
        Err(refusal) => say_refused(id, &refusal),
    }
}

async fn load(number: u64, request: ContextRequest) -> Answer {
    let context = codex_context::load(&request).await.map_err(refused)?;
    let loaded = shown(&LoadedContext::new(number, &context))?;
    Ok((loaded, Effect::Keep(number, Rc::new(context))))
}

async fn refresh(number: u64, known: Rc<Context>) -> Answer {
    let (context, changes) = known.refresh().await.map_err(refused)?;
    let refreshed = shown(&RefreshedContext::new(number, &context, &changes))?;
    Ok((refreshed, Effect::Keep(number, Rc::new(context))))
}

async fn read_skill(params: ReadSkillParams, known: Rc<Context>) -> Answer {
    let read = known
        .read_skill(&params.skill, params.file.as_deref())
        .await;
    let contents = read.map_err(|error| Refusal::new(LOAD_FAILED, error.to_string()))?;
    let file = SkillFile {
        environment_id: contents.handle.environment_id().to_string(),
        path: contents.path.to_string(),
        text: contents.text,
    };
    Ok((shown(&file)?, Effect::Nothing))
}

fn refused(error: codex_context::ContextError) -> Refusal {
    Refusal::new(LOAD_FAILED, error.to_string())
}

fn shown(value: &impl serde::Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(value).map_err(|error| Refusal::new(LOAD_FAILED, error.to_string()))
}

fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params)
        .map_err(|error| Refusal::new(INVALID_PARAMS, format!("parameters: {error}")))
}

fn say_refused(id: &Value, refusal: &Refusal) {
    let mut error = json!({"code": refusal.code, "message": refusal.message});
    if let Some(advice) = &refusal.advice {
        error["data"] = json!({"advice": advice});
    }
    say(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
}

/// One message on a line. A host that stopped reading ends the service by closing its input.
fn say(message: &Value) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{message}").and_then(|()| stdout.flush());
}
