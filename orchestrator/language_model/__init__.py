"""A language model beside the embedded planner: what it is asked, how its replies are read, and what they have to pass.

It never supplies a number. What it proposes is either held against the question word by word and then takes the same way as any
plan, or it is offered to the asker as a choice, or it is dropped.
"""
