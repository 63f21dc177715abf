select h.*
from (
  select h.id, h.created_at as k1, h.id as k2
  from "w_1"."o_1" h
  where h.a_11_value is not null
  order by h.created_at asc, h.id asc
  limit 50 offset 100000
) page
join "w_1"."o_1" h on h.id = page.id
order by page.k1 asc, page.k2 asc
