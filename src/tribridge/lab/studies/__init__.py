"""Studies as functions from parameters to tables, and the published figures."""
