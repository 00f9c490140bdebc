# The options and outputs of a compilation, as tinyml_rules/frontends/option_tables.py writes them: do not edit.
set(TinymlRules_SWITCHES PUSH_ROWS PARTITION CHECKED HOOKS)
set(TinymlRules_LISTS PLACE KERNEL)
set(TinymlRules_PATHS OPERATORS SENSOR)
set(TinymlRules_WORDS SCHEDULE RAM ARENA OPTIMIZE WEIGHTS PAGE)
set(TinymlRules_OUTPUTS .c .h .report.json .memory.svg)
set(TinymlRules_EXTERNAL_OUTPUTS .weights.bin)
