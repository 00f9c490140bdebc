"""What `pio test` makes of the lines that the firmware prints: `NAME PASS` or `NAME FAIL`."""

import re

from platformio.public import TestCase, TestRunnerBase, TestStatus


class CustomTestRunner(TestRunnerBase):
    def on_testing_line_output(self, line):
        super().on_testing_line_output(line)
        for name, word in re.findall(r"(\w+) (PASS|FAIL)\b", line):
            self.test_suite.add_case(TestCase(name, TestStatus.from_string(word)))

    def teardown(self):
        if not self.test_suite.cases:
            self.test_suite.add_case(TestCase("output", TestStatus.FAILED, message="no result"))
