"""One module for each mobility model, called by the model's name.

To add a model, add its settings and a row to `MODELS` in `mobilesim.scenario.sections.mobility_models`, and a module
here with one function. On a plane that is `segments(settings, plane, streams, host)`, the endless path of one host,
which depends on no other host. Without a plane it is `actions(world)`, the departures of every host.
"""
