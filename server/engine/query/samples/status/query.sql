select h.*
from "w_1"."o_3" h
where (h.a_222_status = 223 or h.a_222_status = any(array[225, 226]::int[]))
order by h.created_at asc, h.id asc
limit 500
