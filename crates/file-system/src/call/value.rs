//! The eleven calls, each a struct of the arguments of its method.

use std::io;

use codex_path_uri::PathUri;

use super::{Call, CallKind};
use crate::{
    BlockingFileSystem, ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext,
    for_each_provided_call, for_each_scalar_call,
};

macro_rules! value {
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)?
            $(; &$lent:ident: $borrowed:ty)* $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        #[doc = concat!(
            "A call of [`", stringify!($method), "`](ExecutorFileSystem::", stringify!($method), ").",
        )]
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "the fields are the arguments of the method")]
        pub struct $kind<'a> {
            pub $path: &'a PathUri,
            $(pub $destination: &'a PathUri,)?
            $(pub $lent: &'a $borrowed,)*
            $(pub $given: $owned,)*
            pub sandbox: Option<&'a FileSystemSandboxContext>,
        }

        impl<'a> Call<'a> for $kind<'a> {
            type Answer = $answer;

            const KIND: CallKind = CallKind::$kind;

            fn path(&self) -> &'a PathUri {
                self.$path
            }

            fn destination(&self) -> Option<&'a PathUri> {
                None $(.or(Some(self.$destination)))?
            }

            fn sandbox(&self) -> Option<&'a FileSystemSandboxContext> {
                self.sandbox
            }

            fn make<'f>(
                self,
                filesystem: &'f (impl ExecutorFileSystem + ?Sized),
            ) -> FileSystemFuture<'f, $answer>
            where
                'a: 'f,
            {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                filesystem.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
            }

            fn make_blocking(
                self,
                filesystem: &(impl BlockingFileSystem + ?Sized),
            ) -> io::Result<$answer> {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                filesystem.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
            }

            fn detach<B: BlockingFileSystem>(
                self,
            ) -> impl FnOnce(&B) -> io::Result<$answer> + Send + 'static {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                let ($path, sandbox) = ($path.clone(), sandbox.cloned());
                $(let $destination = $destination.clone();)?
                $(let $lent = $lent.clone();)*
                move |filesystem: &B| {
                    let sandbox = sandbox.as_ref();
                    filesystem.$method(
                        &$path, $(&$destination,)? $(&$lent,)* $($given,)* sandbox
                    )
                }
            }
        }
    )*};
}

for_each_scalar_call!(value);
for_each_provided_call!(value);
