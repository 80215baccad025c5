package derive

// UnixMode is unixMode.
var UnixMode = unixMode
