//! MCP registrations: which servers of which sources, and what is reported of the rest.

use std::io::ErrorKind;

use codex_file_system::Operation;
use codex_file_system_testkit::{Fault, Faulty};
use codex_plugin::mcp::{
    HttpServer, McpCatalog, McpServerSource, McpTransport, PluginMcpServers, StdioServer,
    load_mcp_servers, parse_mcp_config,
};
use codex_plugin::{
    MAX_MCP_CONFIG_BYTES, PluginOptions, PluginProvider, ResolvedPlugin, SymlinkPolicy,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Scene, block_on, codes, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/demo";
const CODEX: &str = ".codex-plugin/plugin.json";

/// Names of the servers of a text, and codes and fields of the findings.
fn parse(root: &str, config: &Value) -> (Vec<String>, Vec<(&'static str, String)>) {
    let (servers, diagnostics) = parse_mcp_config(&uri(root), &config.to_string()).unwrap();
    let names = servers.into_iter().map(|(name, _, _)| name).collect();
    let codes = codes(&diagnostics)
        .into_iter()
        .map(|(code, field)| (code, field.to_owned()));
    (names, codes.collect())
}

/// The only server of a text.
fn server(root: &str, server: &Value) -> StdioServer {
    let text = json!({"m": server}).to_string();
    let (servers, diagnostics) = parse_mcp_config(&uri(root), &text).unwrap();
    assert_eq!(diagnostics, [], "{text}");
    program(servers.into_iter().next().unwrap().1)
}

fn program(transport: McpTransport) -> StdioServer {
    match transport {
        McpTransport::Stdio(server) => server,
        other => panic!("no program: {other:?}"),
    }
}

/// The finding about the only server of a text, which is dropped.
fn finding(root: &str, server: &Value) -> (&'static str, String) {
    let (names, mut findings) = parse(root, &json!({"m": server}));
    assert_eq!((names.len(), findings.len()), (0, 1), "{server}");
    findings.remove(0)
}

#[test]
fn a_map_of_servers_stands_alone_or_under_its_key() {
    let m = json!({"command": "x"});
    assert_eq!(parse(ROOT, &json!({"m": m})).0, ["m"]);
    assert_eq!(
        parse(ROOT, &json!({"mcpServers": {"m": m}, "other": 7})),
        (vec!["m".to_owned()], vec![])
    );
    assert_eq!(parse(ROOT, &json!({})), (vec![], vec![]));
    // Not an object under the key: a flat map with a server of that name.
    let flat = parse(ROOT, &json!({"mcpServers": 7}));
    assert_eq!(
        flat,
        (
            vec![],
            vec![("mcp_server_invalid", "mcpServers".to_owned())]
        )
    );
}

#[test]
fn every_key_is_kept_as_it_is() {
    let text = r#"{"m": {"type": "stdio", "command": " ~/x $Y ", "args": ["", "a\u0000b"],
        "env": {"Z": "1", "A": "$B"}, "env_vars": ["V", {"name": "W", "source": "remote"}],
        "cwd": "a/b", "timeout": 1e999}}"#;
    let (servers, diagnostics) = parse_mcp_config(&uri(ROOT), text).unwrap();
    let (name, server, raw) = servers.into_iter().next().unwrap();
    let server = program(server);
    assert_eq!(name, "m");
    assert_eq!(server.command(), " ~/x $Y ");
    assert_eq!(server.args(), ["", "a\0b"]);
    let env = [
        ("Z".to_owned(), "1".to_owned()),
        ("A".to_owned(), "$B".to_owned()),
    ];
    assert_eq!(server.env(), env, "in document order");
    assert_eq!(server.env_vars(), ["V", "W"]);
    assert_eq!(server.cwd(), &uri("file:///plugins/demo/a/b"));
    assert!(
        raw.as_str().ends_with(r#""cwd":"a/b","timeout":1e999}"#),
        "{raw}"
    );
    assert_eq!(diagnostics, []);
}

#[test]
fn null_and_missing_are_empty() {
    let empty = json!({"command": "x", "args": null, "env": null, "env_vars": null, "cwd": null});
    assert_eq!(server(ROOT, &empty), server(ROOT, &json!({"command": "x"})));
    let absent = json!({"command": "x", "url": null, "type": null});
    assert_eq!(
        server(ROOT, &absent),
        server(ROOT, &json!({"command": "x"}))
    );
}

#[test]
fn the_first_bad_key_in_the_order_of_the_grammar_is_reported() {
    let bad = |server| finding(ROOT, &server);
    let at = |field: &str| ("mcp_server_invalid", field.to_owned());
    for server in [json!(7), json!("x"), json!([]), json!(null)] {
        assert_eq!(bad(server), at("m"));
    }
    for server in [
        json!({}),
        json!({"command": null}),
        json!({"command": 7}),
        json!({"command": " \t"}),
    ] {
        assert_eq!(bad(server), at("m.command"));
    }
    for args in [json!("a"), json!([1]), json!({})] {
        assert_eq!(bad(json!({"command": "x", "args": args})), at("m.args"));
    }
    for env in [json!([]), json!({"K": 1}), json!("K=v")] {
        assert_eq!(bad(json!({"command": "x", "env": env})), at("m.env"));
    }
    for names in [
        json!("A"),
        json!([1]),
        json!([{}]),
        json!([{"name": 1}]),
        json!({"name": "A"}),
        json!([{"name": "A", "source": "local"}]),
        json!([{"name": "A", "source": "x"}]),
        json!([{"name": "A", "source": 1}]),
    ] {
        assert_eq!(
            bad(json!({"command": "x", "env_vars": names})),
            at("m.env_vars")
        );
    }
    assert_eq!(bad(json!({"command": "x", "cwd": 7})), at("m.cwd"));
    assert_eq!(
        bad(json!({"command": "x", "url": "https://h"})),
        at("m.url")
    );
    assert_eq!(
        bad(json!({"cwd": 7, "env": 7, "command": "x"})),
        at("m.env")
    );
    assert_eq!(
        bad(json!({"url": "u", "cwd": 7, "command": "x"})),
        at("m.cwd")
    );
}

#[test]
fn other_transports_are_dropped_by_name() {
    for server in [
        json!({"type": "sse", "url": "https://h"}),
        json!({"type": "sse", "command": "x"}),
        json!({"type": "weird", "command": "x"}),
        json!({"type": 7, "command": "x"}),
    ] {
        let expected = ("mcp_transport_unsupported", "m".to_owned());
        assert_eq!(finding(ROOT, &server), expected, "{server}");
    }
}

fn http(server: &Value) -> HttpServer {
    let (servers, diagnostics) =
        parse_mcp_config(&uri(ROOT), &json!({"m": server}).to_string()).unwrap();
    assert_eq!(diagnostics, [], "{server}");
    match servers.into_iter().next().unwrap().1 {
        McpTransport::Http(server) => server,
        other => panic!("no URL: {other:?}"),
    }
}

#[test]
fn a_url_makes_an_inert_registration_of_its_own_kind() {
    for server in [
        json!({"url": "https://h"}),
        json!({"type": "http", "url": "https://h"}),
        json!({"type": "streamable-http", "url": "https://h"}),
        json!({"type": "streamable_http", "url": "https://h", "command": null}),
    ] {
        assert_eq!(http(&server).url(), "https://h");
    }
    let headers = json!({"url": "u", "headers": {"B": "secret"}, "http_headers": {"C": "y"}});
    assert_eq!(http(&headers).header_names(), ["B", "C"]);
    let at = |field: &str| ("mcp_server_invalid", field.to_owned());
    assert_eq!(finding(ROOT, &json!({"url": 7})), at("m.url"));
    assert_eq!(
        finding(ROOT, &json!({"type": "http", "command": "x"})),
        at("m.url")
    );
    let both = json!({"type": "http", "url": "u", "command": "x"});
    assert_eq!(finding(ROOT, &both), at("m.command"));
}

#[test]
fn a_wrapper_of_another_name_is_told_and_its_servers_are_not_registered() {
    for key in ["servers", "mcp_servers", "McpServers"] {
        let (names, findings) = parse(ROOT, &json!({key: {"a": {"command": "x"}}}));
        assert_eq!(
            (names, findings),
            (vec![], vec![("mcp_wrapper_unknown", key.to_owned())])
        );
    }
    let text = r#"{"servers": {"a": {"command": "x"}}}"#;
    let (_, diagnostics) = parse_mcp_config(&uri(ROOT), text).unwrap();
    assert_eq!(
        diagnostics[0].detail(),
        "expected `mcpServers`, found `servers`: none of its servers is registered"
    );
    // A server may be called that.
    assert_eq!(
        parse(ROOT, &json!({"servers": {"command": "x"}})).0,
        ["servers"]
    );
}

#[test]
fn notes_beside_servers_are_no_servers() {
    let m = json!({"command": "x"});
    let notes = json!({"$schema": "https://x", "_comment": ["y"], "m": m});
    let expected = (vec!["m".to_owned()], vec![]);
    assert_eq!(parse(ROOT, &notes), expected);
    assert_eq!(parse(ROOT, &json!({"mcpServers": notes})), expected);
}

#[test]
fn the_root_stands_for_its_variables_in_a_resolved_form() {
    let text = json!({
        "command": "${CLAUDE_PLUGIN_ROOT}/bin/m",
        "args": ["--root=${PLUGIN_ROOT}", "$PLUGIN_ROOT", "${"],
        "env": {"ROOT": "${PLUGIN_ROOT}"},
        "cwd": "${PLUGIN_ROOT}/work",
    });
    let posix = server(ROOT, &text);
    assert_eq!(posix.command(), "${CLAUDE_PLUGIN_ROOT}/bin/m");
    assert_eq!(
        posix.cwd(),
        &uri("file:///plugins/demo/$%7BPLUGIN_ROOT%7D/work")
    );
    let resolved = posix.resolved();
    assert_eq!(resolved.command, "/plugins/demo/bin/m");
    assert_eq!(
        resolved.args,
        ["--root=/plugins/demo", "$PLUGIN_ROOT", "${"]
    );
    assert_eq!(
        resolved.env,
        [("ROOT".to_owned(), "/plugins/demo".to_owned())]
    );
    assert_eq!(resolved.cwd, uri("file:///plugins/demo/work"));
    let windows = server("file:///C:/plugins/demo", &text);
    assert_eq!(windows.resolved().command, "C:\\plugins\\demo/bin/m");
    assert_eq!(windows.resolved().cwd, uri("file:///C:/plugins/demo/work"));
}

#[test]
fn any_other_variable_is_told_with_server_field_and_name() {
    let text = r#"{"m": {"command": "${HOME}/m", "args": ["a", "${X}${PLUGIN_ROOT}"], "env": {"K": "${Y:-z}"}}}"#;
    let (servers, diagnostics) = parse_mcp_config(&uri(ROOT), text).unwrap();
    assert_eq!(
        codes(&diagnostics),
        [
            ("mcp_variable_unknown", "m.command"),
            ("mcp_variable_unknown", "m.args[1]"),
            ("mcp_variable_unknown", "m.env.K"),
        ]
    );
    assert_eq!(
        diagnostics[1].to_string(),
        "`m.args[1]`: variable `${X}` is not known and stays as it is"
    );
    let server = program(servers.into_iter().next().unwrap().1);
    assert_eq!(server.resolved().args, ["a", "${X}/plugins/demo"]);
}

#[test]
fn servers_of_several_plugins_share_no_name() {
    let root = uri("file:///plugins");
    let memory = memory_with(&root, &[]);
    for (plugin, name) in [("a", "one"), ("b", "two"), ("c", "two")] {
        let manifest =
            format!("/plugins/{plugin}/.codex-plugin/plugin.json = {{\"name\":\"{name}\"}}");
        memory.add_tree(&manifest).unwrap();
        let servers =
            format!("{{\"git\":{{\"command\":\"{plugin}\"}},\"{plugin}\":{{\"url\":\"u\"}}}}");
        memory
            .add_tree(&format!("/plugins/{plugin}/.mcp.json = {servers}"))
            .unwrap();
    }
    let scene = Scene::new(memory);
    let roots = ["a", "b", "c"].map(|name| {
        codex_plugin::SelectedCapabilityRoot::parse(name, "env-1", &format!("/plugins/{name}"))
            .unwrap()
    });
    let options = PluginOptions::default();
    let loaded = block_on(async {
        let resolved = scene.provider(options.clone()).resolve_all(&roots).await;
        let plugins: Vec<_> = resolved
            .into_iter()
            .map(|it| it.unwrap().unwrap())
            .collect();
        let plugins: Vec<_> = plugins.iter().collect();
        load_mcp_servers(&scene.environments, &plugins, &options).await
    });
    let catalog = McpCatalog::new(loaded.into_iter().map(Result::unwrap));
    let names: Vec<_> = catalog
        .servers
        .iter()
        .map(|it| it.qualified_name())
        .collect();
    assert_eq!(names, ["one:git", "a", "two@b:git", "b", "two@c:git", "c"]);
    assert_eq!(codes(&catalog.diagnostics), [("mcp_name_shared", "git"); 3]);
    assert_eq!(
        catalog.diagnostics[0].to_string(),
        "`git`: server `git` is registered as `one:git`, since `file:///plugins/b` in environment `env-1` \
         registers one of that name, too: file:///plugins/a in environment `env-1`"
    );
}

#[test]
fn a_name_is_one_line_without_separators() {
    for name in ["", "a/b", "a\\b", "a\nb", "\u{7f}", "\u{85}"] {
        let (names, findings) = parse(ROOT, &json!({name: {"command": "x"}}));
        assert_eq!(
            (names, findings),
            (vec![], vec![("mcp_server_invalid", name.to_owned())])
        );
    }
    for name in ["a b", "ä", ".", "..", "a:b", "$x"] {
        assert_eq!(parse(ROOT, &json!({name: {"command": "x"}})).0, [name]);
    }
}

#[test]
fn no_key_stands_twice_and_no_value_is_too_deep_anywhere() {
    let problem = |text: &str| {
        let error = parse_mcp_config(&uri(ROOT), text).unwrap_err();
        (
            error.problem().code(),
            error.field().to_owned(),
            error.column(),
        )
    };
    let twice = r#"{"m":{"command":"x"},"m":{"command":"x"}}"#;
    assert_eq!(problem(twice), ("duplicate_key", "m".to_owned(), 22));
    let unknown = r#"{"m":{"zzz":{"a":[{"b":1,"b":2}]}}}"#;
    assert_eq!(
        problem(unknown),
        ("duplicate_key", "m.zzz.a[0].b".to_owned(), 26)
    );
    let deep = format!("{{\"m\":{}{}}}", "[".repeat(127), "]".repeat(127));
    assert_eq!(problem(&deep), ("too_deep", "m".to_owned(), 6));
    let at_limit = format!("{{\"m\":{}{}}}", "[".repeat(126), "]".repeat(126));
    assert!(parse_mcp_config(&uri(ROOT), &at_limit).is_ok());
    assert_eq!(problem("[]"), ("not_an_object", String::new(), 1));
    assert_eq!(problem("{} //"), ("trailing_text", String::new(), 4));
}

fn cwd(root: &str, text: &str) -> Option<String> {
    let config = json!({"m": {"command": "x", "cwd": text}}).to_string();
    let (servers, diagnostics) = parse_mcp_config(&uri(root), &config).unwrap();
    let directory = servers
        .into_iter()
        .next()
        .map(|(_, server, _)| program(server).cwd().to_string());
    let expected = if directory.is_none() {
        vec![("mcp_server_invalid", "m.cwd")]
    } else {
        vec![]
    };
    assert_eq!(codes(&diagnostics), expected, "{text:?}");
    if let Some(directory) = &directory {
        assert!(
            uri(directory).starts_with(&uri(root)),
            "{directory} is in {root}"
        );
    }
    directory
}

#[test]
fn a_directory_of_a_posix_root_is_literal_and_inside() {
    let kept = |text: &str, below: &str| {
        assert_eq!(cwd(ROOT, text), Some(format!("{ROOT}{below}")), "{text:?}");
    };
    for root in [
        "",
        ".",
        "./",
        "./.",
        "/plugins/demo",
        "/plugins/demo/",
        "file:///plugins/demo",
    ] {
        kept(root, "");
    }
    kept("tools/", "/tools");
    kept("./a//b/./c", "/a/b/c");
    kept("a\\..\\b", "/a%5C..%5Cb");
    kept("C:\\x", "/C:%5Cx");
    kept("~/x", "/~/x");
    kept("%2e%2e", "/%252e%252e");
    kept("./file:x", "/file:x");
    kept("//plugins/./demo//t", "/t");
    kept("FILE:///plugins/demo/%74", "/t");
    for refused in [
        "..",
        "a/..",
        "a/../b",
        "/",
        "/etc",
        "/plugins",
        "/plugins/demo2",
        "/plugins/demo/../demo/t",
        "/plugins/demo/a/..",
        "file:///etc",
        "file:///plugins/demo/a/../b",
        "file:///plugins/demo/%2E%2e/demo",
        "file:///plugins/demo/a%0Ab",
        "file://server/plugins/demo",
        "file:///C:/plugins/demo",
        "file:x",
        "file:///plugins/demo?x",
        "a\nb",
        "a\u{85}",
    ] {
        assert_eq!(cwd(ROOT, refused), None, "{refused:?}");
    }
}

#[test]
fn a_directory_of_a_windows_root_is_literal_and_inside() {
    const WINDOWS: &str = "file:///C:/plugins/demo";
    let kept = |text: &str, below: &str| {
        assert_eq!(
            cwd(WINDOWS, text),
            Some(format!("{WINDOWS}{below}")),
            "{text:?}"
        );
    };
    for root in ["", ".", "./", ".\\", "c:\\plugins\\demo", "C:/plugins/demo"] {
        kept(root, "");
    }
    kept(".\\tools\\x/y", "/tools/x/y");
    kept("C:/plugins\\demo/t", "/t");
    kept("\\\\?\\C:\\plugins\\demo\\t", "/t");
    kept("file:///c%3A/plugins/demo/t", "/t");
    for refused in [
        "D:\\x",
        "\\x",
        "/x",
        "/plugins/demo",
        "C:x",
        "C:",
        "a:b",
        "..",
        "a\\..\\b",
        "a/...",
        ".. ",
        "a/ /..",
        "\\\\server\\share\\demo",
        "\\\\.\\COM1",
        "C:\\plugins\\demo\\a:b",
        "C:\\plugins\\demo\\..\\demo",
        "C:\\plugins\\demo\\x\\... ",
        "C:\\Plugins\\demo",
        "file:///plugins/demo",
        "file:///C:/plugins/demo/a:b",
    ] {
        assert_eq!(cwd(WINDOWS, refused), None, "{refused:?}");
    }
    let share = "file://server/share/demo";
    assert_eq!(
        cwd(share, "\\\\SERVER\\share\\demo\\t").unwrap(),
        format!("{share}/t")
    );
    assert_eq!(cwd(share, "\\\\other\\share\\demo"), None);
}

#[test]
fn servers_are_kept_up_to_their_limit() {
    let servers = |count: usize| -> Value {
        (0..count)
            .map(|index| (format!("{index:04}"), json!({"command": "x"})))
            .collect()
    };
    let (names, findings) = parse(ROOT, &servers(256));
    assert_eq!((names.len(), findings.len()), (256, 0));
    let (names, findings) = parse(ROOT, &servers(300));
    assert_eq!(names.len(), 256);
    assert_eq!(findings, [("list_truncated", "mcpServers".to_owned())]);
}

/// Resolves a plugin and loads its servers under faults.
fn load(
    files: &[(&str, &str)],
    links: &str,
    faults: Vec<Fault>,
) -> (ResolvedPlugin, PluginMcpServers) {
    let root = uri(ROOT);
    let memory = memory_with(&root, files);
    memory.add_tree(links).unwrap();
    let plugin = Scene::new(memory.clone()).resolve(&root).unwrap().unwrap();
    let scene = Scene::new(faults.into_iter().fold(Faulty::new(memory), Faulty::on));
    let options = PluginOptions::default();
    let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &options));
    (plugin, loaded.into_iter().next().unwrap().unwrap())
}

fn names(servers: &PluginMcpServers) -> Vec<&str> {
    servers
        .servers()
        .iter()
        .map(|server| server.name())
        .collect()
}

const GOOD: &str = r#"{"good":{"command":"x"}}"#;

fn fault(operation: Operation, path: &str, kind: ErrorKind) -> Fault {
    Fault::error(kind)
        .of(operation)
        .at(uri(ROOT).join(path).unwrap())
}

#[test]
fn one_bad_file_costs_that_file() {
    let declared = (CODEX, r#"{"mcpServers":["./bad.json","./good.json"]}"#);
    let large = " ".repeat(1024 * 1024) + "{}";
    for (text, code) in [
        (None, "mcp_config_missing"),
        (Some(large.as_str()), "mcp_config_unreadable"),
        (Some("{\"a\":1,}"), "mcp_config_invalid"),
        (Some("[]"), "mcp_config_invalid"),
        (Some("\u{FEFF}{}"), "mcp_config_invalid"),
    ] {
        let mut files = vec![declared, ("good.json", GOOD)];
        files.extend(text.map(|text| ("bad.json", text)));
        let (_, servers) = load(&files, "", vec![]);
        assert_eq!(names(&servers), ["good"], "{code}");
        assert_eq!(codes(servers.diagnostics()), [(code, "bad.json")]);
    }
    let files = [declared, ("good.json", GOOD)];
    let (_, servers) = load(&files, "/plugins/demo/bad.json = %FF", vec![]);
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", "bad.json")]
    );
    let (_, servers) = load(&files, "/plugins/demo/bad.json/", vec![]);
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", "bad.json")]
    );
}

#[test]
fn a_file_of_the_limit_is_read_and_one_byte_more_is_not() {
    for (bytes, expected) in [
        (MAX_MCP_CONFIG_BYTES, None),
        (
            MAX_MCP_CONFIG_BYTES + 1,
            Some(("mcp_config_unreadable", ".mcp.json")),
        ),
    ] {
        let text = format!("{GOOD}{}", " ".repeat(bytes - GOOD.len()));
        let (_, servers) = load(&[(CODEX, "{}"), (".mcp.json", &text)], "", vec![]);
        assert_eq!(codes(servers.diagnostics()), Vec::from_iter(expected));
        assert_eq!(names(&servers).len(), usize::from(expected.is_none()));
    }
}

#[test]
fn a_finding_says_what_is_wrong_and_where() {
    let files = [
        (CODEX, r#"{"mcpServers":"./bad.json"}"#),
        ("bad.json", "{\n\"a\":1,}"),
    ];
    let (_, servers) = load(&files, "", vec![]);
    assert_eq!(
        servers.diagnostics()[0].to_string(),
        "`bad.json`: the text holds a comma before the end of an object or array, \
         at line 2 column 6 (trailing_comma): file:///plugins/demo in environment `env-1`"
    );
    let position = servers.diagnostics()[0].position().unwrap();
    assert_eq!((position.line, position.column), (2, 6));
    let denied = fault(Operation::ReadFile, "bad.json", ErrorKind::PermissionDenied);
    let (_, servers) = load(&files, "", vec![denied]);
    assert_eq!(
        servers.diagnostics()[0].detail(),
        "the file cannot be read: permission denied (PermissionDenied)"
    );
}

#[test]
fn a_link_out_of_the_root_is_not_read() {
    let files = [(CODEX, "{}"), ("../out.json", GOOD)];
    let (plugin, servers) = load(&files, "/plugins/demo/.mcp.json -> ../out.json", vec![]);
    assert_eq!(names(&servers), Vec::<&str>::new());
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", ".mcp.json")]
    );
    // It outranks what else is wrong with the file, and a host may ask for it.
    let unread = fault(Operation::ReadFile, ".mcp.json", ErrorKind::NotFound);
    let (_, servers) = load(
        &files,
        "/plugins/demo/.mcp.json -> ../out.json",
        vec![unread],
    );
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", ".mcp.json")]
    );
    let memory = memory_with(&uri(ROOT), &files);
    memory
        .add_tree("/plugins/demo/.mcp.json -> ../out.json")
        .unwrap();
    let scene = Scene::new(memory);
    let follow = PluginOptions {
        symlinks: SymlinkPolicy::Follow,
        ..PluginOptions::default()
    };
    let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &follow));
    assert_eq!(names(loaded[0].as_ref().unwrap()), ["good"]);
}

#[test]
fn a_canonical_path_that_fails_makes_a_file_unreadable() {
    let files = [(CODEX, "{}"), (".mcp.json", GOOD)];
    let lost = || {
        fault(
            Operation::Canonicalize,
            ".mcp.json",
            ErrorKind::ConnectionReset,
        )
    };
    let (_, servers) = load(&files, "", vec![lost()]);
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", ".mcp.json")]
    );
    // A default file that is not there is normal, whatever becomes of its canonical path.
    let (_, servers) = load(&files[..1], "", vec![lost()]);
    assert_eq!((names(&servers).len(), servers.diagnostics().len()), (0, 0));
}

#[test]
fn a_root_that_cannot_be_resolved_makes_its_files_unreadable() {
    let root = uri(ROOT);
    let memory = memory_with(&root, &[(CODEX, "{}"), (".mcp.json", GOOD)]);
    let scene = Scene::new(memory.clone());
    let follow = scene.provider(PluginOptions {
        symlinks: SymlinkPolicy::Follow,
        ..PluginOptions::default()
    });
    let plugin = block_on(async { follow.resolve(&selected(&root)).await })
        .unwrap()
        .unwrap();
    let lost = Fault::error(ErrorKind::TimedOut)
        .of(Operation::Canonicalize)
        .at(root.clone());
    let scene = Scene::new(Faulty::new(memory).on(lost));
    let options = PluginOptions::default();
    let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &options));
    let servers = loaded[0].as_ref().unwrap();
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_unreadable", ".mcp.json")]
    );
    assert_eq!(
        servers.diagnostics()[0].detail(),
        "the file cannot be read: timed out (TimedOut)"
    );
}

#[test]
fn registrations_say_where_they_are_written() {
    let text = r#"{"mcpServers":["./a.json","./b.json"]}"#;
    let files = [
        (CODEX, text),
        ("a.json", r#"{"x":{"command":"1"},"y":{"command":"2"}}"#),
        (
            "b.json",
            r#"{"y":{"command":"3"},"z":{"command":7},"w":{"command":"4"}}"#,
        ),
    ];
    let (plugin, servers) = load(&files, "", vec![]);
    assert_eq!(names(&servers), ["x", "y", "w"]);
    let findings = [
        ("mcp_server_duplicate", "y"),
        ("mcp_server_invalid", "z.command"),
    ];
    assert_eq!(codes(servers.diagnostics()), findings);
    let last = &servers.servers()[2];
    let McpServerSource::File(locator) = last.source() else {
        panic!("{last:?}")
    };
    assert_eq!(locator.path(), &uri("file:///plugins/demo/b.json"));
    assert_eq!(last.selected_root_id(), plugin.selected_root_id());
    assert_eq!(last.raw().as_str(), r#"{"command":"4"}"#);

    let text = r#"{"mcpServers":[{"x":{"command":"1"}},{"mcpServers":{"x":{"command":"2"},"y":{"command":"3"}}}]}"#;
    let (_, servers) = load(&[(CODEX, text)], "", vec![]);
    assert_eq!(names(&servers), ["x", "y"]);
    assert_eq!(
        servers.servers()[1].source(),
        &McpServerSource::Inline { index: 1 }
    );
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_server_duplicate", "x")]
    );
}

#[test]
fn a_dropped_server_does_not_take_its_name() {
    let text = r#"{"mcpServers":[{"x":{"command":7}},{"x":{"command":"1"}}]}"#;
    let (_, servers) = load(&[(CODEX, text)], "", vec![]);
    assert_eq!(names(&servers), ["x"]);
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_server_invalid", "x.command")]
    );
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let text = r#"{"mcpServers":["./a.json","./a.json"]}"#;
    let root = uri(ROOT);
    let scene = Scene::in_memory(&root, &[(CODEX, text), ("a.json", GOOD)]);
    let plugin = scene.resolve(&root).unwrap().unwrap();
    let options = PluginOptions::default();
    let plugins = [&plugin, &plugin];
    let work = load_mcp_servers(&scene.environments, &plugins, &options);
    let (loaded, cost) = block_on(async { scene.measure(work).await });
    assert_eq!(cost.calls, 2);
    for servers in loaded {
        let servers = servers.unwrap();
        assert_eq!(names(&servers), ["good"]);
        assert_eq!(
            codes(servers.diagnostics()),
            [("mcp_server_duplicate", "good")]
        );
    }
}

#[test]
fn only_an_unknown_environment_is_an_error() {
    let root = uri(ROOT);
    let scene = Scene::in_memory(&root, &[(CODEX, "{}")]);
    let plugin = scene.resolve(&root).unwrap().unwrap();
    let nowhere = codex_file_system::EnvironmentSet::default();
    let options = PluginOptions::default();
    let loaded = block_on(load_mcp_servers(&nowhere, &[&plugin], &options));
    let error = loaded[0].as_ref().unwrap_err();
    assert_eq!(
        (error.code(), error.root_id()),
        ("unavailable_environment", "root-1")
    );
}

#[test]
fn a_file_of_a_windows_root_is_named_in_its_own_convention() {
    let root = uri("file:///C:/plugins/demo");
    let scene = Scene::in_memory(&root, &[(CODEX, r#"{"mcpServers":"./cfg/m.json"}"#)]);
    let plugin = scene.resolve(&root).unwrap().unwrap();
    let options = PluginOptions::default();
    let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &options));
    let servers = loaded[0].as_ref().unwrap();
    assert_eq!(
        codes(servers.diagnostics()),
        [("mcp_config_missing", "cfg\\m.json")]
    );
}
