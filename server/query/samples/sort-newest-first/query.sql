select h.*
from (
  select h.id, h.created_at as k1, h.created_at as k2, h.id as k3
  from "w_1"."o_1" h
  where true
  order by h.created_at desc, h.created_at asc, h.id asc
  limit 50 offset 0
) page
join "w_1"."o_1" h on h.id = page.id
order by page.k1 desc, page.k2 asc, page.k3 asc
