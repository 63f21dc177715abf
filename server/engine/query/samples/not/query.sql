select h.*
from "w_1"."o_3" h
where ((h.a_222_status = 225 or h.a_228_currency_value > $1::numeric)) is not true
order by h.created_at asc, h.id asc
limit 500
-- $1: 100
