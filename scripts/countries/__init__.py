"""What scripts/build_countries.py is made of."""
