"""The tables of the MicroFlow paper, and the figures of the same models here."""
