select h.*
from "w_1"."o_1" h
where (array_to_string(h.a_8_email_address, E'\n') ilike $3::text and exists (select 1 from unnest(h.a_8_email_address) with ordinality as v1(email_address, nth) where (split_part(v1.email_address, '@', 2) = $1::text and left(lower(split_part(v1.email_address, '@', 1)), 500) collate "C" like lower($2::text))))
order by h.created_at asc, h.id asc
limit 500
-- $1: example.com
-- $2: a%
-- $3: %example.com%
