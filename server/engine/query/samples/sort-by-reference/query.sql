select h.*
from (
  select h.id, left(lower(coalesce(nullif(t1.a_43_value, ''), nullif(t1.a_42_domain[1], ''))), 500) collate "C" as k1, h.created_at as k2, h.id as k3
  from "w_1"."o_1" h
    left join "w_1"."o_2" t1 on t1.id = h.a_10_target_record_id
  where true
  order by left(lower(coalesce(nullif(t1.a_43_value, ''), nullif(t1.a_42_domain[1], ''))), 500) collate "C" asc nulls last, h.created_at asc, h.id asc
  limit 500 offset 0
) page
join "w_1"."o_1" h on h.id = page.id
order by page.k1 asc nulls last, page.k2 asc, page.k3 asc
