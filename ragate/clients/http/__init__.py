"""One HTTP call to a provider: bounded, repeated, limited, its faults sorted."""
