//! The signals that end a server: SIGINT, SIGTERM, and SIGHUP unless the server was started to ignore
//! it, as by `nohup`; where there are none, Ctrl-C.

#[cfg(unix)]
pub(super) use self::counted::Signals;
#[cfg(not(unix))]
pub(super) use self::ctrl_c::Signals;

#[cfg(unix)]
mod counted {
    use std::io;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;
    use tokio::io::AsyncReadExt as _;

    use crate::host;

    /// One byte for each signal, so that two of them are two, however late somebody looks.
    pub(in super::super) struct Signals(tokio::net::UnixStream);

    impl Signals {
        /// From here on the signals no longer end the process.
        ///
        /// # Errors
        /// When the host does not let them be caught.
        pub(in super::super) fn new() -> io::Result<Self> {
            let (heard, told) = UnixStream::pair()?;
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                if signal != SIGHUP || !host::ignores_hangup() {
                    pipe::register(signal, told.try_clone()?)?;
                }
            }
            heard.set_nonblocking(true)?;
            tokio::net::UnixStream::from_std(heard).map(Self)
        }

        /// Waits for the next one. What is dropped while it waits takes none away.
        pub(in super::super) async fn next(&mut self) {
            if self.0.read_u8().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use signal_hook::consts::SIGINT;
        use signal_hook::low_level::raise;

        use super::Signals;

        #[tokio::test]
        async fn two_signals_are_two_though_nobody_looks_between_them() {
            let mut signals = Signals::new().unwrap();
            raise(SIGINT).unwrap();
            raise(SIGINT).unwrap();
            signals.next().await;
            signals.next().await;
        }
    }
}

#[cfg(not(unix))]
mod ctrl_c {
    use std::io;

    pub(in super::super) struct Signals;

    impl Signals {
        /// From here on Ctrl-C no longer ends the process.
        ///
        /// # Errors
        /// None.
        pub(in super::super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        /// Waits for the next one.
        pub(in super::super) async fn next(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
