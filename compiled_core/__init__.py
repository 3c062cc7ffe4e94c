"""The build of the compiled core: which modules mypyc compiles, and how their source is changed for it."""
