package wire

// Protocol is the version of the Jupyter messaging protocol that every header
// and the kernel_info_reply name.
const Protocol = "5.5"

// Username is what our headers give as the user.
const Username = "kernel"
