"""What runs have to tell: the paper's tables and plots from one's own machine."""
