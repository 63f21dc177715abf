select h.*
from "w_1"."o_1" h
where strpos(lower(h.a_11_value), lower($1::text)) > 0
order by h.created_at asc, h.id asc
limit 500
-- $1: vp
