select h.*
from (
  select h.id, left(lower(t1.a_7_last_name), 500) collate "C" as k1, h.created_at as k2, h.id as k3
  from "w_1"."o_2" h
    left join lateral (select * from "w_1"."o_1" d where d.a_10_target_record_id = h.id order by coalesce((d.provenance->'10'->0->>3)::bigint, (d.provenance->'10'->0->>0)::bigint, (extract(epoch from d.created_at) * 1000000)::bigint) desc, d.id desc limit 1) t1 on true
  where true
  order by left(lower(t1.a_7_last_name), 500) collate "C" desc nulls last, h.created_at asc, h.id asc
  limit 500 offset 0
) page
join "w_1"."o_2" h on h.id = page.id
order by page.k1 desc nulls last, page.k2 asc, page.k3 asc
