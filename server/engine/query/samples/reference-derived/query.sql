select h.*
from "w_1"."o_2" h
where h.id in (select t1.a_10_target_record_id from "w_1"."o_1" t1 where t1.a_10_target_record_id is not null and t1.id = any($1::uuid[]))
order by h.created_at asc, h.id asc
limit 500
-- $1: {"0190aaaa-0000-7000-8000-000000000001","0190aaaa-0000-7000-8000-000000000002"}
