package udp

// IsDamaging reports whether Config.Offload is off by itself on that release of the kernel.
func IsDamaging(release string) bool { return isDamaging(release) }
