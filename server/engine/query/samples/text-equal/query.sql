select h.*
from "w_1"."o_1" h
where h.a_11_value = $1::text
order by h.created_at asc, h.id asc
limit 500
-- $1: Engineer
