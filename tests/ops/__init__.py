"""Tests of the operators: oracle and C against TFLM, and what is refused."""
