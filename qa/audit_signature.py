"""The key that signs records and checkpoints of the audit log: who can write both, but does not hold it, cannot forge them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from qa.problems import SettingsError

KEY_VARIABLE = "BELEG_AUDIT_KEY"
SHORTEST_KEY = 32
"""Characters: 128 bits even where the key is hexadecimal (NIST SP 800-107r1 asks at least 112 bits of HMAC keys)."""


@dataclass(frozen=True)
class AuditKey:
    """An HMAC-SHA-256 key. Its text is never shown, not even in a traceback."""

    secret: bytes = field(repr=False)

    def sign(self, purpose: str, text: str) -> str:
        """64 hexadecimal digits. `purpose` keeps a signature of one kind from serving as one of another."""
        return hmac.new(self.secret, f"{purpose}\n{text}".encode(), hashlib.sha256).hexdigest()

    def fits(self, purpose: str, text: str, signature: object) -> bool:
        return isinstance(signature, str) and hmac.compare_digest(self.sign(purpose, text), signature)


def audit_key(environment: Mapping[str, str]) -> AuditKey | None:
    """None where the variable is not set. Raises SettingsError for a key that is too short."""
    text = environment.get(KEY_VARIABLE, "").strip()
    if not text:
        return None
    if len(text) < SHORTEST_KEY:
        raise SettingsError(
            f"Die Umgebungsvariable {KEY_VARIABLE} ist zu kurz; verlangt sind mindestens {SHORTEST_KEY} zufällige Zeichen, "
            "z. B. von 'openssl rand -hex 32'."
        )
    return AuditKey(text.encode("utf-8"))
