//! The server: any filesystem, offered to a client at the other end of a pipe or a socket.
