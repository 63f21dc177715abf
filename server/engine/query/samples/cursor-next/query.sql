select h.*, (page.k1)::text
from (
  select h.id, h.a_228_currency_value as k1, h.created_at as k2, h.id as k3
  from "w_1"."o_3" h
  where ((h.a_228_currency_value < $3::numeric or h.a_228_currency_value is null) or (h.a_228_currency_value = $4::numeric and (h.created_at, h.id) > ($1::timestamptz, $2::uuid)))
  order by h.a_228_currency_value desc nulls last, h.created_at asc, h.id asc
  limit 50 offset 0
) page
join "w_1"."o_3" h on h.id = page.id
order by page.k1 desc nulls last, page.k2 asc, page.k3 asc
-- $1: 2024-01-01 00:00:00+00
-- $2: 0190aaaa-0000-7000-8000-000000000001
-- $3: 250.5
-- $4: 250.5
