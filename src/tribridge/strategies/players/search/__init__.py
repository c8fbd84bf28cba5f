"""Players that search: double dummy or playouts on sampled layouts."""
