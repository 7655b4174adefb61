//! Messages: what is written is read again, and what is no message is refused.

use std::collections::BTreeMap;
use std::fmt::Debug;

use allocation_counter::measure;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::codec::{
    Content, ErrorData, Message, RequestId, WireError, decode_base64, encode_base64,
    encode_failure, encode_notification, encode_request, encode_success,
};
use crate::protocol::*;

/// Writes a request and its answer and reads both again.
fn round_trip<M: Method>(params: &M::Params, result: &M::Result)
where
    M::Params: Debug,
    M::Result: Debug,
{
    let text = encode_request(7, M::NAME, params).unwrap();
    let Message::Request {
        id,
        method,
        params: raw,
    } = Message::parse(text.as_bytes()).unwrap()
    else {
        panic!("a request");
    };
    assert_eq!((id, method.as_ref()), (RequestId::Number(7), M::NAME));
    let read = decode_params::<M>(raw).unwrap();
    assert_eq!(format!("{read:?}"), format!("{params:?}"));

    let id = RequestId::Text("x\"y".to_owned());
    let text = encode_success(&id, result, 0).unwrap();
    let Message::Success {
        id: read_id,
        result: raw,
    } = Message::parse(text.as_bytes()).unwrap()
    else {
        panic!("a success");
    };
    assert_eq!(read_id, id);
    let read = decode_result::<M>(raw.get()).unwrap();
    assert_eq!(format!("{read:?}"), format!("{result:?}"));
}

fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn content() -> impl Strategy<Value = Content> {
    any::<Vec<u8>>().prop_map(Content)
}

fn sandbox() -> impl Strategy<Value = SandboxParam> {
    let access = prop_oneof![
        Just(WireAccess::None),
        Just(WireAccess::Read),
        Just(WireAccess::Write)
    ];
    let entry = (text(), access).prop_map(|(path, access)| WireSandboxEntry { path, access });
    let restricted = (vec(entry, 0..3), option::of(text()));
    prop_oneof![
        Just(SandboxParam::Unrestricted),
        Just(SandboxParam::Unknown),
        restricted.prop_map(|(entries, cwd)| {
            SandboxParam::Restricted(WireRestriction { entries, cwd })
        }),
    ]
}

fn path_params() -> impl Strategy<Value = PathParams> {
    (text(), sandbox()).prop_map(|(path, sandbox)| PathParams { path, sandbox })
}

fn info() -> impl Strategy<Value = EnvironmentInfo> {
    let texts = vec(any::<String>(), 0..3);
    let optional = || option::of(any::<String>());
    (
        option::of((any::<String>(), any::<String>())),
        (optional(), optional(), optional(), optional(), optional()),
        texts.clone(),
        texts,
        proptest::collection::btree_map(any::<String>(), any::<bool>(), 0..3),
    )
        .prop_map(
            |(shell, (version, cwd, home, temp, os), path, temporary, capabilities)| {
                EnvironmentInfo {
                    shell: shell.map(|(name, path)| Shell { name, path }),
                    executor_version: version,
                    cwd,
                    user_home_dir: home,
                    temp_dir: temp,
                    platform_os: os,
                    prepend_path_dirs: path,
                    temporary_directories: temporary,
                    capabilities,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reads_come_back_as_they_were_sent(
        params in path_params(),
        flags in any::<(bool, bool, Option<bool>, Option<u64>)>(),
        times in any::<(i64, i64)>(),
        data in content(),
        path in text(),
        names in vec((text(), any::<(bool, bool, Option<bool>)>(), option::of(text())), 0..4),
    ) {
        let metadata = GetMetadataResult {
            is_directory: flags.0,
            is_file: flags.1,
            is_symlink: flags.2,
            size: flags.3,
            created_at_ms: times.0,
            modified_at_ms: times.1,
        };
        let entries = names.into_iter().map(|(file_name, flags, path)| DirectoryEntry {
            file_name,
            is_directory: flags.0,
            is_file: flags.1,
            is_symlink: flags.2,
            is_broken_link: flags.0,
            path,
        });
        let listing = ReadDirectoryResult { entries: Bounded(entries.collect()) };
        round_trip::<GetMetadata>(&params, &metadata);
        round_trip::<ReadFile>(&params, &ReadFileResult { data_base64: data });
        round_trip::<Canonicalize>(&params, &CanonicalizeResult { path });
        round_trip::<ReadDirectory>(&params, &listing);
    }

    #[test]
    fn walks_come_back_as_they_were_sent(
        params in path_params(),
        limits in any::<(u64, u64, u64, bool, bool)>(),
        entries in vec((text(), any::<bool>()), 0..4),
        errors in vec((text(), text(), option::of(text())), 0..4),
        truncated in any::<bool>(),
    ) {
        let params = WalkDirectoryParams {
            path: params.path,
            options: WalkLimits {
                max_depth: limits.0,
                max_directories: limits.1,
                max_entries: limits.2,
                follow_directory_symlinks: limits.3,
                prune_hidden_directories: limits.4,
            },
            sandbox: params.sandbox,
        };
        let entry = |(path, is_file)| WalkedEntry {
            path,
            kind: if is_file { WalkedKind::File } else { WalkedKind::Directory },
        };
        let error = |(path, message, kind)| WalkedError { path, message, kind };
        let result = WalkDirectoryResult {
            entries: Bounded(entries.into_iter().map(entry).collect()),
            errors: Bounded(errors.into_iter().map(error).collect()),
            truncated,
        };
        round_trip::<WalkDirectory>(&params, &result);
    }

    #[test]
    fn writes_come_back_as_they_were_sent(
        path in text(),
        other in text(),
        data in text(),
        flags in any::<(Option<bool>, Option<bool>, bool)>(),
        sandbox in sandbox(),
    ) {
        let (recursive, force, deep) = flags;
        let write = WriteFileParams { path: path.clone(), data_base64: data, sandbox: sandbox.clone() };
        let create = CreateDirectoryParams { path: path.clone(), recursive, sandbox: sandbox.clone() };
        let remove = RemoveParams { path: path.clone(), recursive, force, sandbox: sandbox.clone() };
        let copy = CopyParams {
            source_path: path,
            destination_path: other,
            recursive: deep,
            sandbox,
        };
        round_trip::<WriteFile>(&write, &Nothing {});
        round_trip::<CreateDirectory>(&create, &Nothing {});
        round_trip::<RemovePath>(&remove, &Nothing {});
        round_trip::<CopyPath>(&copy, &Nothing {});
    }

    #[test]
    fn handles_come_back_as_they_were_sent(
        handle in text(),
        path in text(),
        mode in option::of(prop_oneof![Just(OpenMode::Read), Just(OpenMode::Replace)]),
        numbers in any::<(u64, u64, bool)>(),
        chunk in content(),
        sandbox in sandbox(),
    ) {
        let (offset, len, eof) = numbers;
        let open = OpenHandleParams { handle_id: handle.clone(), path, mode, sandbox };
        round_trip::<OpenHandle>(&open, &OpenHandleResult { handle_id: handle.clone() });
        let read = ReadBlockParams { handle_id: handle.clone(), offset, len };
        round_trip::<ReadBlock>(&read, &ReadBlockResult { chunk: chunk.clone(), eof });
        let write = WriteBlockParams { handle_id: handle.clone(), offset, chunk: encode_base64(&chunk.0) };
        round_trip::<WriteBlock>(&write, &Nothing {});
        round_trip::<CloseHandle>(&CloseHandleParams { handle_id: handle }, &Nothing {});
    }

    #[test]
    fn the_rest_comes_back_as_it_was_sent(
        name in text(),
        session in option::of(text()),
        info in info(),
        has_info in any::<bool>(),
        paths in vec(vec(text(), 0..3).prop_map(Bounded), 0..3).prop_map(Bounded),
        watch in any::<(u64, bool)>(),
        sandbox in sandbox(),
    ) {
        let params = InitializeParams { client_name: name.clone(), resume_session_id: session };
        let environment_info = has_info.then(|| info.clone());
        let result = InitializeResult { session_id: name.clone(), environment_info };
        round_trip::<Initialize>(&params, &result);
        round_trip::<EnvironmentInfoMethod>(&Nothing {}, &info);
        let status = EnvironmentStatusResult { status: name.clone() };
        round_trip::<EnvironmentStatus>(&Nothing {}, &status);
        let params = EnvironmentConfigReadParams {
            cwd: name.clone(),
            config_paths: paths.clone(),
            requirements_paths: paths,
        };
        let result = EnvironmentConfigReadResult {
            user_home_dir: name.clone(),
            codex_home_dir: name.clone(),
            hostname: name.clone(),
            config: Default::default(),
            requirements: Default::default(),
        };
        round_trip::<EnvironmentConfigRead>(&params, &result);
        let params = WatchMissingParams {
            watch_id: watch.0,
            missing: Bounded(vec![name.clone()]),
            present: name,
            sandbox,
        };
        round_trip::<WatchMissing>(&params, &WatchMissingResult { watching: watch.1 });
    }

    #[test]
    fn errors_come_back_as_they_were_sent(
        id in prop_oneof![
            any::<i64>().prop_map(RequestId::Number),
            any::<String>().prop_map(RequestId::Text),
        ],
        code in any::<i64>(),
        message in any::<String>(),
        data in option::of((option::of(any::<String>()), any::<Option<i32>>(), any::<bool>())),
    ) {
        let data = data.map(|(kind, errno, broken_link)| ErrorData { kind, errno, broken_link });
        let error = WireError { code, message, data };
        let text = encode_failure(&id, &error);
        let Message::Failure { id: read_id, error: read } = Message::parse(text.as_bytes()).unwrap()
        else {
            panic!("a failure");
        };
        prop_assert_eq!((read_id, read), (id, error));
    }

    #[test]
    fn bytes_come_back_from_base64(bytes in any::<Vec<u8>>()) {
        prop_assert_eq!(decode_base64(&encode_base64(&bytes)).unwrap(), bytes);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in any::<Vec<u8>>()) {
        let _ = Message::parse(&bytes);
    }

    #[test]
    fn no_text_like_json_makes_the_reader_panic(text in r#"[\[\]{}",:0-9a-z\\ id]{0,60}"#) {
        if let Ok(Message::Request { params, .. }) = Message::parse(text.as_bytes()) {
            let _ = decode_params::<ReadFile>(params);
        }
    }
}

/// What a message is, in one word and its id.
fn kind(text: &str) -> String {
    match Message::parse(text.as_bytes()) {
        Ok(Message::Request { id, method, .. }) => format!("request {id:?} {method}"),
        Ok(Message::Notification { method, .. }) => format!("notification {method}"),
        Ok(Message::Success { id, result }) => format!("success {id:?} {result}"),
        Ok(Message::Failure { id, error }) => format!("failure {id:?} {}", error.code),
        Err(_) => "malformed".to_owned(),
    }
}

#[test]
fn an_envelope_is_one_of_four_things_or_none() {
    let rows = [
        (r#"{"id":1,"method":"m"}"#, "request Number(1) m"),
        (
            r#"{"id":"","method":"m","params":null}"#,
            "request Text(\"\") m",
        ),
        (
            r#" {"id":-9223372036854775808,"method":"m"} "#,
            "request Number(-9223372036854775808) m",
        ),
        (
            r#"{"id":1,"method":"m","jsonrpc":[[]],"later":1}"#,
            "request Number(1) m",
        ),
        (
            r#"{"id":1,"method":"m","trace":null}"#,
            "request Number(1) m",
        ),
        (
            r#"{"id":1,"method":"m","trace":{"traceparent":"x"}}"#,
            "request Number(1) m",
        ),
        (r#"{"method":"m"}"#, "notification m"),
        (r#"{"id":1,"result":null}"#, "success Number(1) null"),
        (
            r#"{"id":1,"error":{"code":-1,"message":"x","data":[]}}"#,
            "failure Number(1) -1",
        ),
        (r#"{"id":9223372036854775808,"method":"m"}"#, "malformed"),
        (r#"{"id":1.5,"method":"m"}"#, "malformed"),
        (r#"{"id":null,"method":"m"}"#, "malformed"),
        (r#"{"id":[],"method":"m"}"#, "malformed"),
        (r#"{"id":1,"method":7}"#, "malformed"),
        (r#"{"id":1,"method":null}"#, "malformed"),
        (r#"{"id":1,"method":"m","trace":"x"}"#, "malformed"),
        (r#"{"id":1,"method":"m","trace":[]}"#, "malformed"),
        (r#"{"id":1,"id":1,"method":"m"}"#, "malformed"),
        (
            r#"{"id":1,"method":"m","jsonrpc":1,"jsonrpc":1}"#,
            "malformed",
        ),
        (r#"{"id":1,"method":"m","result":1}"#, "malformed"),
        (
            r#"{"id":1,"result":1,"error":{"code":1,"message":"x"}}"#,
            "malformed",
        ),
        (r#"{"id":1,"error":{"code":1}}"#, "malformed"),
        (r#"{"id":1,"error":[1,"x"]}"#, "malformed"),
        (r#"{"id":1}"#, "malformed"),
        (r#"{"result":1}"#, "malformed"),
        (r#"{}"#, "malformed"),
        (r#"[1,"m"]"#, "malformed"),
        (r#""m""#, "malformed"),
        ("", "malformed"),
        (r#"{"id":1,"method":"m"} {}"#, "malformed"),
    ];
    for (text, expected) in rows {
        assert_eq!(kind(text), expected, "{text}");
    }
}

#[test]
fn bytes_that_are_no_text_are_no_message_wherever_they_stand() {
    for template in [
        r#"{"id":1,"method":"m","later":"@"}"#,
        r#"{"id":1,"method":"m","@":1}"#,
        r#"{"id":1,"method":"m","jsonrpc":"@"}"#,
        r#"{"id":1,"method":"m","trace":{"traceparent":"@"}}"#,
        r#"{"id":1,"method":"m","params":{"path":["@"]}}"#,
        r#"{"id":"@","method":"m"}"#,
        r#"{"id":1,"method":"@"}"#,
        r#"{"id":1,"result":"@"}"#,
    ] {
        assert_ne!(
            kind(&template.replace('@', "\u{e9}")),
            "malformed",
            "{template}"
        );
        // No text, half a character, half a surrogate pair, and NUL the long way.
        for odd in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xc0\x80"] {
            let (before, after) = template.split_once('@').unwrap();
            let bytes = [before.as_bytes(), odd, after.as_bytes()].concat();
            assert!(Message::parse(&bytes).is_err(), "{template}, {odd:?}");
        }
    }
}

#[test]
fn params_are_an_object_and_never_an_array_of_its_fields() {
    let raw = |text: &'static str| Some(serde_json::from_str::<&RawValue>(text).unwrap());
    let decode = |text| decode_params::<ReadFile>(raw(text)).is_ok();
    assert!(decode(r#"{"path":"x"}"#));
    assert!(!decode(r#"["x",null]"#));
    assert!(!decode(r#""x""#));
    assert!(!decode("null"));
    assert!(!decode(r#"{"path":"x","path":"x"}"#));
    assert!(decode_params::<EnvironmentStatus>(None).is_ok());
    assert!(decode_params::<EnvironmentStatus>(raw("null")).is_ok());
    assert!(decode_params::<EnvironmentStatus>(raw("[]")).is_err());
    let walk = r#"{"path":"x","options":[1,1,1,true]}"#;
    assert!(decode_params::<WalkDirectory>(raw(walk)).is_err());
}

#[test]
fn a_list_of_entries_longer_than_its_limit_is_another_shape_and_the_limit_is_named() {
    let listing = |names: usize| {
        let entry = r#"{"fileName":"","isDirectory":false,"isFile":true}"#;
        let entries = vec![entry; names].join(",");
        let text = format!(r#"{{"entries":[{entries}]}}"#);
        let listing = decode_result::<ReadDirectory>(&text);
        listing
            .map(|listing| listing.entries.0.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(listing(MAX_LISTED_ENTRIES), Ok(MAX_LISTED_ENTRIES));
    let error = listing(MAX_LISTED_ENTRIES + 1).unwrap_err();
    assert!(error.contains("at most 500000 elements"), "{error}");
}

#[test]
fn a_sandbox_is_none_disabled_or_more_than_is_enforced() {
    let sandbox = |text: &str| {
        let text = format!(r#"{{"path":"x","sandbox":{text}}}"#);
        let raw: Box<RawValue> = serde_json::from_str(&text).unwrap();
        decode_params::<ReadFile>(Some(&raw))
            .map(|params| params.sandbox)
            .ok()
    };
    let (open, closed) = (
        Some(SandboxParam::Unrestricted),
        Some(SandboxParam::Unknown),
    );
    let rows = [
        ("null", open.clone()),
        (
            r#"{"permissions":{"type":"disabled"},"windowsSandboxLevel":"disabled"}"#,
            open.clone(),
        ),
        (r#"{"permissions":{"type":"managed"}}"#, closed.clone()),
        (r#"{"permissions":{}}"#, closed.clone()),
        (r#"{"permissions":"disabled"}"#, closed.clone()),
        (r#"{"permissions":null}"#, closed.clone()),
        (r#"{"permissions":["disabled"]}"#, closed.clone()),
        (r#"{"permissions":{"type":["disabled"]}}"#, closed.clone()),
        (r#"{"permissions":{"\u0074ype":"dis\u0061bled"}}"#, open),
        ("{}", None),
        ("[]", None),
        ("true", None),
        (r#""disabled""#, None),
    ];
    for (text, expected) in rows {
        assert_eq!(sandbox(text), expected, "{text}");
    }
}

#[test]
fn nesting_is_bounded_and_costs_no_stack() {
    let nested = |depth: usize| {
        let value = "[".repeat(depth) + &"]".repeat(depth);
        format!(r#"{{"id":1,"method":"m","params":{value}}}"#)
    };
    assert_eq!(kind(&nested(127)), "request Number(1) m");
    assert_eq!(kind(&nested(128)), "malformed");
    assert_eq!(kind(&nested(1_000_000)), "malformed");
    let result = "[".repeat(1_000_000);
    assert_eq!(
        kind(&format!(r#"{{"id":1,"result":{result}}}"#)),
        "malformed"
    );
}

#[test]
fn a_notification_has_no_id_and_no_version() {
    assert_eq!(
        encode_notification("initialized").unwrap(),
        r#"{"method":"initialized"}"#
    );
}

#[test]
fn capabilities_that_are_no_yes_or_no_are_left_out() {
    let text = r#"{"capabilities":{"a":true,"b":1,"c":null,"d":false}}"#;
    let info = decode_result::<EnvironmentInfoMethod>(text).unwrap();
    let expected = BTreeMap::from([("a".to_owned(), true), ("d".to_owned(), false)]);
    assert_eq!(info.capabilities, expected);
    let none = decode_result::<EnvironmentInfoMethod>(r#"{"capabilities":null}"#).unwrap();
    assert_eq!(none, EnvironmentInfo::default());
}

#[test]
fn a_restriction_is_read_as_the_published_server_reads_it() {
    let read = |file_system: &str| {
        let text = format!(
            r#"{{"path":"x","sandbox":{{"cwd":"file:///w","windowsSandboxLevel":"disabled",
            "permissions":{{"type":"managed","network":"restricted","file_system":{file_system}}}}}}}"#
        );
        let raw: Box<RawValue> = serde_json::from_str(&text).unwrap();
        decode_params::<ReadFile>(Some(&raw)).unwrap().sandbox
    };
    let entries = r#"{"type":"restricted","entries":[
        {"path":{"type":"path","path":"file:///a"},"access":"read"},
        {"path":{"type":"path","path":"file:///a/b"},"access":"deny"}]}"#;
    let entry = |path: &str, access| WireSandboxEntry {
        path: path.to_owned(),
        access,
    };
    let expected = WireRestriction {
        entries: vec![
            entry("file:///a", WireAccess::Read),
            entry("file:///a/b", WireAccess::None),
        ],
        cwd: Some("file:///w".to_owned()),
    };
    assert_eq!(read(entries), SandboxParam::Restricted(expected));
    assert_eq!(
        read(r#"{"type":"unrestricted"}"#),
        SandboxParam::Unrestricted
    );
    for unknown in [
        r#"{"type":"restricted"}"#,
        r#"{"type":"restricted","entries":[{"path":{"type":"special","value":{}},"access":"read"}]}"#,
        r#"{"type":"restricted","entries":[{"path":{"type":"path","path":"file:///a"},"access":"x"}]}"#,
        "5",
    ] {
        assert_eq!(read(unknown), SandboxParam::Unknown, "{unknown}");
    }
}

#[test]
fn methods_have_names_of_their_own() {
    fn name<M: Method>() -> &'static str {
        M::NAME
    }
    let names = [
        name::<Initialize>(),
        name::<GetMetadata>(),
        name::<ReadFile>(),
        name::<ReadDirectory>(),
        name::<Canonicalize>(),
        name::<WalkDirectory>(),
        name::<WriteFile>(),
        name::<CreateDirectory>(),
        name::<RemovePath>(),
        name::<CopyPath>(),
        name::<OpenHandle>(),
        name::<ReadBlock>(),
        name::<WriteBlock>(),
        name::<CloseHandle>(),
        name::<WatchMissing>(),
        name::<EnvironmentInfoMethod>(),
        name::<EnvironmentStatus>(),
        name::<EnvironmentConfigRead>(),
    ];
    let mut distinct = names.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
}

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    steps: Vec<Step>,
    #[serde(default)]
    send_raw: Vec<String>,
    #[serde(default)]
    receive: Vec<Value>,
}

#[derive(Deserialize)]
struct Step {
    send: Value,
    expect: Value,
}

fn cases() -> Vec<Case> {
    let table: Table =
        serde_json::from_str(codex_file_system_testkit::cases::EXEC_SERVER.text).unwrap();
    table.cases
}

/// A result of the table with its wildcards filled in.
fn filled(result: &Value) -> Value {
    serde_json::from_str(&result.to_string().replace("\"*\"", "\"text\"")).unwrap()
}

/// Whether the parameters of a request are of the shape of its method; `None` for a method that
/// is not looked at here.
fn has_shape(method: &str, params: &RawValue) -> Option<bool> {
    fn decodes<M: Method>(params: &RawValue) -> bool {
        decode_params::<M>(Some(params)).is_ok()
    }
    Some(match method {
        "fs/getMetadata" => decodes::<GetMetadata>(params),
        "fs/readFile" => decodes::<ReadFile>(params),
        "fs/readDirectory" => decodes::<ReadDirectory>(params),
        "fs/canonicalize" => decodes::<Canonicalize>(params),
        "fs/walk" => decodes::<WalkDirectory>(params),
        "fs/writeFile" => decodes::<WriteFile>(params),
        "fs/readBlock" => decodes::<ReadBlock>(params),
        _ => return None,
    })
}

#[test]
fn every_request_of_the_table_has_the_shape_of_its_method_unless_that_is_its_fault() {
    for case in cases() {
        for step in &case.steps {
            let method = step.send["method"].as_str().unwrap();
            let params = serde_json::value::to_raw_value(&step.send["params"]).unwrap();
            let Some(has_shape) = has_shape(method, &params) else {
                continue;
            };
            let is_refused = step.expect["error"]["code"] == -32602;
            if !is_refused {
                assert!(has_shape, "{}", case.name);
            } else if !step.send["params"]["path"].is_string() && method != "fs/readBlock" {
                assert!(!has_shape, "{}", case.name);
            }
        }
    }
}

#[test]
fn every_result_of_the_table_that_names_paths_has_the_shape_of_its_method() {
    for case in cases() {
        for step in &case.steps {
            let text = filled(&step.expect["result"]).to_string();
            let is_right = match step.send["method"].as_str().unwrap() {
                _ if !step.expect["result"].is_object() => continue,
                "fs/readDirectory" => decode_result::<ReadDirectory>(&text).is_ok(),
                "fs/walk" => decode_result::<WalkDirectory>(&text).is_ok(),
                "fs/canonicalize" => decode_result::<Canonicalize>(&text).is_ok(),
                _ => continue,
            };
            assert!(is_right, "{}", case.name);
        }
    }
}

#[test]
fn raw_messages_of_the_table_are_messages_unless_they_are_answered_without_an_id() {
    for case in cases() {
        let is_plain = |text: &&String| !text.starts_with('<') && !text.trim().is_empty();
        let sent: Vec<&String> = case.send_raw.iter().filter(is_plain).collect();
        let malformed = sent
            .iter()
            .filter(|text| Message::parse(text.as_bytes()).is_err())
            .count();
        let from_spelling = case.send_raw.len() - sent.len();
        let unknown = |answer: &&Value| answer["id"] == -1 || answer["one_of"][0]["id"] == -1;
        let answered = case.receive.iter().filter(unknown).count();
        assert!(
            malformed <= answered && answered <= malformed + from_spelling,
            "{}: {malformed} malformed, {answered} answered without an id",
            case.name
        );
    }
}

fn is_accepted(params: &str) -> bool {
    kind(&format!(r#"{{"id":1,"method":"m","params":{params}}}"#)) != "malformed"
}

#[test]
fn parameters_are_any_value_without_a_fault_at_any_depth() {
    assert!(is_accepted(
        r#"{"a": [1, -1, 1.5, null, true, "\u00e9"], "b": {"a": 1}}"#
    ));
    for faulty in [r#"{"a": [{"b": 1, "\u0062": 2}]}"#, r#"{"a": ["\ud800"]}"#] {
        assert!(!is_accepted(faulty), "{faulty}");
    }
}

#[test]
fn an_object_has_no_more_keys_than_the_limit() {
    let object = |keys: usize| {
        let fields: Vec<_> = (0..keys).map(|key| format!("\"{key}\": 1")).collect();
        format!("[{{{}}}]", fields.join(","))
    };
    assert!(is_accepted(&object(MAX_OBJECT_KEYS)));
    assert!(!is_accepted(&object(MAX_OBJECT_KEYS + 1)));
}

#[test]
fn base64_is_padded_and_of_the_standard_alphabet() {
    assert_eq!(decode_base64("aGV5").unwrap(), b"hey");
    for malformed in ["aGV5\n", "aGV", "_-==", "aGV5=", "a b="] {
        assert!(decode_base64(malformed).is_err(), "{malformed}");
    }
}

#[test]
fn what_a_request_holds_beside_its_parameters_takes_no_more_memory_than_its_text() {
    let many = "0,".repeat(200_000) + "0";
    for params in [
        format!(r#"{{"path":"p","more":[{many}]}}"#),
        format!(
            r#"{{"path":"p","sandbox":{{"permissions":{{"type":"disabled"}},"more":[{many}]}}}}"#
        ),
        format!(
            r#"{{"path":"p","sandbox":{{"permissions":{{"type":"disabled","more":[{many}]}}}}}}"#
        ),
    ] {
        let text = format!(r#"{{"id":1,"method":"fs/readFile","params":{params}}}"#);
        let used = measure(|| {
            let Ok(Message::Request { params, .. }) = Message::parse(text.as_bytes()) else {
                panic!("a request");
            };
            let params = decode_params::<ReadFile>(params).unwrap();
            assert_eq!(params.sandbox, SandboxParam::Unrestricted);
        });
        let most = text.len() as u64 * 2;
        assert!(used.bytes_max <= most, "{} bytes of {most}", used.bytes_max);
    }
}
