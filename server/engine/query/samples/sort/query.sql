select h.*
from (
  select h.id, h.a_228_currency_value as k1, left(lower(h.a_221_value), 500) collate "C" as k2, h.created_at as k3, h.id as k4
  from "w_1"."o_3" h
  where true
  order by h.a_228_currency_value desc nulls last, left(lower(h.a_221_value), 500) collate "C" asc nulls last, h.created_at asc, h.id asc
  limit 50 offset 0
) page
join "w_1"."o_3" h on h.id = page.id
order by page.k1 desc nulls last, page.k2 asc nulls last, page.k3 asc, page.k4 asc
