"""Replacements, a few lines each, for repositories that Bazel 4 fetches although they are built in."""

_STAND_INS = ["remote_coverage_tools", "rules_cc", "rules_java", "rules_python"]

# buildifier: disable=unnamed-macro
def offline_repositories(tinyml_rules):
    """Declares the replacements, for a WORKSPACE on a machine without network.

    Args:
      tinyml_rules: the path of the rules' repository, absolute or from the workspace.
    """
    for name in _STAND_INS:
        native.local_repository(
            name = name,
            path = "{}/tinyml_rules/frontends/bazel/offline/{}".format(tinyml_rules, name),
        )
