"""The build of the compiled core, the modules that mypyc compiles: their list, and the changes of their source."""
