"""The clocks of Meldal, Sankar and Vera (1991) for networks with known links, and vector clocks as a special case."""
