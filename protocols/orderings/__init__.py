"""One file per ordering, in a package of its family or in this one."""
