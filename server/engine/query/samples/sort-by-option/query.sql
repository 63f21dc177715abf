select h.*
from (
  select h.id, array_position(array[223, 224, 225, 226]::int[], h.a_222_status) as k1, h.created_at as k2, h.id as k3
  from "w_1"."o_3" h
  where true
  order by array_position(array[223, 224, 225, 226]::int[], h.a_222_status) asc nulls last, h.created_at asc, h.id asc
  limit 500 offset 0
) page
join "w_1"."o_3" h on h.id = page.id
order by page.k1 asc nulls last, page.k2 asc, page.k3 asc
