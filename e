error: /dev/zero: it is a character device: a record or an assessment must be a file or a pipe
