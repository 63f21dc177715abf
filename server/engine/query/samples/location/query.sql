select h.*
from "w_1"."o_1" h
where (h.a_14_country_code = $1::text and h.a_14_locality ilike $2::text)
order by h.created_at asc, h.id asc
limit 500
-- $1: DE
-- $2: %Berlin%
