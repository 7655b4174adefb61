//! What the types promise besides their behaviour.

use codex_path_uri::{
    AbsolutePathBuf, CasePolicy, FileName, PathConvention, PathKey, PathRule, PathUri, PathUriError,
};
use pretty_assertions::assert_eq;

#[test]
fn a_value_is_three_words() {
    assert!(size_of::<PathUri>() <= 24);
    assert_eq!(size_of::<Option<PathUri>>(), size_of::<PathUri>());
}

#[test]
fn everything_moves_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<PathUri>();
    is_shared::<PathUriError>();
    is_shared::<FileName>();
    is_shared::<AbsolutePathBuf>();
    is_shared::<PathKey>();
}

#[test]
fn a_name_is_equal_to_its_text() {
    let name = FileName::new("é", PathConvention::Windows).unwrap();
    assert!(name == *"é" && name != *"e");
    let no_text = FileName::from_posix_bytes(vec![0xFF]).unwrap();
    assert!(no_text != *"\u{FFFD}");
}

#[test]
fn an_error_is_one_line_and_shows_the_whole_input() {
    let error = PathUri::parse("file:///a\nb").unwrap_err();
    assert_eq!(error.path(), "file:///a\nb");
    assert_eq!(error.argument(), None);
    assert_eq!(error.rule(), PathRule::RawControl);
    assert_eq!(
        error.to_string(),
        r"invalid path `file:///a\nb`: a control character is not percent-encoded"
    );
}

#[test]
fn every_control_character_of_an_error_is_shown_escaped() {
    let base = PathUri::parse("file:///w").unwrap();
    let error = base
        .join_descendant("/\0\t\r\u{1B}\u{7F}\u{85}é")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        r"cannot join `/\u{0}\t\r\u{1b}\u{7f}\u{85}é` to `file:///w`: a name contains NUL"
    );
}

#[test]
fn a_join_error_names_both_sides() {
    let base = PathUri::parse("file:///C:/base").unwrap();
    let error = base.join(r"\\server").unwrap_err();
    assert_eq!(
        (error.path(), error.argument()),
        ("file:///C:/base", Some(r"\\server"))
    );
    assert_eq!(
        error.to_string(),
        r"cannot join `\\server` to `file:///C:/base`: it is not absolute"
    );
}

#[test]
fn an_io_error_keeps_the_path_error() {
    let error = std::io::Error::from(PathUri::parse("x").unwrap_err());
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    let inner = error
        .get_ref()
        .unwrap()
        .downcast_ref::<PathUriError>()
        .unwrap();
    assert_eq!(inner.code(), "not_a_uri");
}

#[test]
fn posix_names_sort_before_windows_names_and_both_by_bytes() {
    let posix = |text| FileName::new(text, PathConvention::Posix).unwrap();
    let windows = |text| FileName::new(text, PathConvention::Windows).unwrap();
    let lone = FileName::from_windows_units(&[0xD800]).unwrap();
    let mut names = vec![
        windows("a"),
        lone.clone(),
        posix("z"),
        windows("\u{1F600}"),
        posix("a"),
    ];
    names.sort();
    assert_eq!(
        names,
        [
            posix("a"),
            posix("z"),
            windows("a"),
            lone,
            windows("\u{1F600}")
        ]
    );
}

#[test]
fn a_name_is_not_empty_no_dots_and_holds_neither_nul_nor_a_separator() {
    for text in ["", ".", "..", "a\0", "/", "a/b"] {
        for convention in [PathConvention::Posix, PathConvention::Windows] {
            let error = FileName::new(text, convention).unwrap_err();
            assert_eq!(error.code(), "invalid_name", "{text:?}");
        }
    }
    assert!(FileName::new(r"a\b", PathConvention::Posix).is_ok());
    assert!(FileName::new(r"a\b", PathConvention::Windows).is_err());
}

#[test]
fn keys_of_one_policy_are_equal_as_the_policy_says() {
    let uri = |text| PathUri::parse(text).unwrap();
    let fallback = uri("file:///%00/bad/path/L0M6");
    let folded = [
        (uri("file:///C:/A%C3%A9"), uri("file:///C:/a%C3%A9"), true),
        (uri("file:///C:/A"), uri("file:///C:/b"), false),
        (fallback.clone(), fallback.clone(), true),
        (
            uri("file:///%00/bad/path/YQ"),
            uri("file:///%00/bad/path/yQ"),
            false,
        ),
        (fallback, uri("file:///%00/bad/path/L2M6"), false),
    ];
    for (one, other, equal) in folded {
        assert_eq!(one.eq_under(&other, CasePolicy::AsciiFold), equal);
        assert_eq!(
            one.key(CasePolicy::AsciiFold) == other.key(CasePolicy::AsciiFold),
            equal
        );
        assert_eq!(
            one.key(CasePolicy::Exact) == other.key(CasePolicy::Exact),
            one == other
        );
    }
}

#[test]
fn a_caller_of_codex_rs_finds_the_names_it_knows() {
    let path = PathUri::try_from("file:///C:/w/a%20b".to_owned()).unwrap();
    assert_eq!(path.infer_path_convention(), Some(PathConvention::Windows));
    assert_eq!(path.to_url().as_str(), "file:///C:/w/a%20b");
    let native = if cfg!(windows) { r"C:\w" } else { "/w" };
    let host = AbsolutePathBuf::try_from(native).unwrap();
    assert_eq!(PathUri::from(host.clone()), PathUri::from_abs_path(&host));
    let refused = PathUri::try_from("w".to_owned()).unwrap_err();
    assert_eq!(refused.code(), "not_a_uri");
}
