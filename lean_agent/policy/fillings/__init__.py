"""What a goal has for the placeholders of schemes: names, lists of these, and patterns, part by part."""
