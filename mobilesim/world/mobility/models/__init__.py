"""One module for each mobility model, with the model's name.

To add a model, add its settings and a row to `MODELS` in `mobilesim.scenario.sections.mobility_models`, and a module
here with one function. For a model on a plane, `segments(settings, plane, streams, host)` returns the endless path of
one host, which does not depend on other hosts. For other models, `actions(world)` returns the departures of every host.
"""
