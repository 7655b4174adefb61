//! Messages: what is written is read again, and what is no message is refused.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use codex_exec_server::envelope::{
    ErrorData, Message, RequestId, WireError, encode_failure, encode_notification, encode_request,
    encode_success,
};
use codex_exec_server::protocol::{
    Canonicalize, CanonicalizeResult, CloseHandle, CloseHandleParams, CopyPath, CopyPathParams,
    CreateDirectory, CreateDirectoryParams, DirectoryEntry, EnvironmentConfigRead,
    EnvironmentConfigReadParams, EnvironmentConfigReadResult, EnvironmentInfo,
    EnvironmentInfoMethod, EnvironmentStatus, EnvironmentStatusResult, GetMetadata,
    GetMetadataResult, Initialize, InitializeParams, InitializeResult, MAX_LISTED_ENTRIES, Method,
    Nothing, OpenHandle, OpenHandleParams, OpenHandleResult, OpenMode, PathParams, ReadBlock,
    ReadBlockParams, ReadBlockResult, ReadDirectory, ReadDirectoryResult, ReadFile, ReadFileResult,
    RemovePath, RemovePathParams, SandboxParam, Shell, WalkDirectory, WalkDirectoryParams,
    WalkDirectoryResult, WalkLimits, WalkedEntry, WalkedError, WalkedKind, WatchMissing,
    WatchMissingParams, WatchMissingResult, WriteBlock, WriteBlockParams, WriteFile,
    WriteFileParams, decode_base64, decode_params, decode_result, encode_base64,
};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::value::RawValue;

/// Writes a request and its answer and reads both again.
fn round_trip<M: Method>(params: &M::Params<'_>, result: &M::Result<'_>) {
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
    // Values that borrow from different messages have different types; their text has not.
    let read = decode_params::<M>(raw).unwrap();
    assert_eq!(format!("{read:?}"), format!("{params:?}"));

    let id = RequestId::Text("x\"y".to_owned());
    let text = encode_success(&id, result).unwrap();
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

fn text() -> impl Strategy<Value = Cow<'static, str>> {
    any::<String>().prop_map(Cow::Owned)
}

fn base64() -> impl Strategy<Value = Cow<'static, str>> {
    any::<Vec<u8>>().prop_map(|bytes| encode_base64(&bytes).into())
}

fn sandbox() -> impl Strategy<Value = SandboxParam> {
    prop_oneof![
        Just(SandboxParam::Unrestricted),
        Just(SandboxParam::Restricted)
    ]
}

fn path_params() -> impl Strategy<Value = PathParams<'static>> {
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
        data in base64(),
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
            path,
        });
        let listing = ReadDirectoryResult { entries: entries.collect() };
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
            entries: entries.into_iter().map(entry).collect(),
            errors: errors.into_iter().map(error).collect(),
            truncated,
        };
        round_trip::<WalkDirectory>(&params, &result);
    }

    #[test]
    fn writes_come_back_as_they_were_sent(
        path in text(),
        other in text(),
        data in base64(),
        flags in any::<(Option<bool>, Option<bool>, bool)>(),
        sandbox in sandbox(),
    ) {
        let (recursive, force, deep) = flags;
        let write = WriteFileParams { path: path.clone(), data_base64: data, sandbox };
        let create = CreateDirectoryParams { path: path.clone(), recursive, sandbox };
        let remove = RemovePathParams { path: path.clone(), recursive, force, sandbox };
        let copy = CopyPathParams {
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
        chunk in base64(),
        sandbox in sandbox(),
    ) {
        let (offset, len, eof) = numbers;
        let open = OpenHandleParams { handle_id: handle.clone(), path, mode, sandbox };
        round_trip::<OpenHandle>(&open, &OpenHandleResult { handle_id: handle.clone() });
        let read = ReadBlockParams { handle_id: handle.clone(), offset, len };
        round_trip::<ReadBlock>(&read, &ReadBlockResult { chunk: chunk.clone(), eof });
        let write = WriteBlockParams { handle_id: handle.clone(), offset, chunk };
        round_trip::<WriteBlock>(&write, &Nothing {});
        round_trip::<CloseHandle>(&CloseHandleParams { handle_id: handle }, &Nothing {});
    }

    #[test]
    fn the_rest_comes_back_as_it_was_sent(
        name in text(),
        session in option::of(text()),
        info in info(),
        has_info in any::<bool>(),
        paths in vec(vec(text(), 0..3), 0..3),
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
            missing: vec![name.clone()],
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
        data in option::of((option::of(any::<String>()), any::<Option<i32>>())),
    ) {
        let data = data.map(|(kind, errno)| ErrorData { kind, errno });
        let error = WireError { code, message, data };
        let text = encode_failure(&id, &error).unwrap();
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
            .map(|listing| listing.entries.len())
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
        Some(SandboxParam::Restricted),
    );
    let rows = [
        ("null", open),
        (
            r#"{"permissions":{"type":"disabled"},"windowsSandboxLevel":"disabled"}"#,
            open,
        ),
        (r#"{"permissions":{"type":"managed"}}"#, closed),
        (r#"{"permissions":{}}"#, closed),
        (r#"{"permissions":"disabled"}"#, closed),
        (r#"{"permissions":null}"#, closed),
        (r#"{"permissions":["disabled"]}"#, closed),
        (r#"{"permissions":{"type":["disabled"]}}"#, closed),
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

/// Types of the protocol show what they hold when a test or a log asks.
#[test]
fn methods_have_names_of_their_own() {
    fn name<M: Method + Debug>() -> &'static str {
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
