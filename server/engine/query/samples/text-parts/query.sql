select h.*
from "w_1"."o_1" h
where (h.a_11_value ilike $1::text and left(lower(h.a_11_value), 500) collate "C" like lower($2::text) and h.a_11_value ilike $3::text)
order by h.created_at asc, h.id asc
limit 500
-- $1: %engine\%%
-- $2: Lead%
-- $3: %eer
