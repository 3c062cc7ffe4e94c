"""The papers' figures, measured again: what they show, the runs behind them, and what the papers say of them."""
