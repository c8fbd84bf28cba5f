"""Players that search: double dummy or play-outs on sampled layouts."""
