"""Tables -> meaning: business names, units, synonyms, levels, relations; proposed by rules, approved by people."""
