select h.*
from "w_1"."o_2" h
where h.id in (select t1.a_10_target_record_id from "w_1"."o_1" t1 where t1.a_10_target_record_id is not null and t1.a_11_value ilike $1::text)
order by h.created_at asc, h.id asc
limit 500
-- $1: %Engineer%
