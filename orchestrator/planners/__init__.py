"""Planners: each turns a question and its links into a plan, a clarification or a refusal."""
