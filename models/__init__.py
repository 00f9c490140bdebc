"""The models; those of our own with the scripts that train them."""
