"""What several operators share: their record, rules, shapes and arithmetic."""
