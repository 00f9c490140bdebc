"""The functions of `import tinyml_rules`."""
