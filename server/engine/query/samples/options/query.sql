select h.*
from "w_1"."o_2" h
where (h.a_46_option @> array[63]::int[] and h.a_177_option = 179)
order by h.created_at asc, h.id asc
limit 500
