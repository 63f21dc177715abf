select h.*
from "w_1"."o_1" h
where true
order by h.created_at asc, h.id asc
limit 500
