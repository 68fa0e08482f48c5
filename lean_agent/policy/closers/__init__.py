"""Closing tactics and schemes: lists, the policies that propose them, and what they know of our own repositories."""
