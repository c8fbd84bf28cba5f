"""The truth: what the cards can really do, double dummy; labels of many deals."""
