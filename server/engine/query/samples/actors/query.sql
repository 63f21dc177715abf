select h.*
from "w_1"."o_3" h
where (h.created_by in (0) and h.created_by in (0))
order by h.created_at asc, h.id asc
limit 500
