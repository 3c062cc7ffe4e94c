"""The emulated world: cells and their neighbours, the backbone's links and routes, radio, movement and traffic."""
