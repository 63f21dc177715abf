select h.*
from "w_1"."o_2" h
where (h.a_188_value >= $1::date and h.created_at > $2::timestamptz)
order by h.created_at asc, h.id asc
limit 500
-- $1: 2020-01-01
-- $2: 2024-01-01 00:00:00+00
