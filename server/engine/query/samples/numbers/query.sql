select h.*
from "w_1"."o_3" h
where (h.a_228_currency_value >= $1::numeric and h.a_228_currency_value < $2::numeric)
order by h.created_at asc, h.id asc
limit 500
-- $1: 1000
-- $2: 2500.5
