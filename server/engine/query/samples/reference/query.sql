select h.*
from "w_1"."o_1" h
where (h.a_10_target_object = 2 and h.a_10_target_record_id = $1::uuid)
order by h.created_at asc, h.id asc
limit 500
-- $1: 0190aaaa-0000-7000-8000-000000000001
