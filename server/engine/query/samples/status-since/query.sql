select h.*
from "w_1"."o_3" h
where (h.a_222_status = 223 and case when h.a_222_status is not null then coalesce(timestamptz 'epoch' + (h.provenance->'222'->0->>0)::bigint * interval '1 microsecond', h.created_at) end < $1::timestamptz)
order by h.created_at asc, h.id asc
limit 500
-- $1: 2024-06-01 00:00:00+00
