-- Requests hold write-only values, and a plain digest lets anybody who reads this table try guesses. What is there is
-- digested once more, with the salt of the installation; the API does the same before it compares.
update caelus.idempotency_key k
set request_sha256 = sha256(convert_to(i.digest_salt, 'UTF8') || k.request_sha256)
from caelus.installation i;
