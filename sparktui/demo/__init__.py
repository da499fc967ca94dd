"""The simulated server: an engine model, TabbyAPI's wire format over h11, and a TabbyAPI-style log."""
