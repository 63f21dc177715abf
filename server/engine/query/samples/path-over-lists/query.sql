select h.*
from "w_1"."o_1" h
where h.id in (select t3.id from "w_1"."o_3" t1 join "w_1"."o_1" t3 on t3.a_37_target_record_id @> array[t1.id] where t1.a_230_target_record_id in (select t2.id from "w_1"."o_2" t2 where t2.a_43_value = $1::text))
order by h.created_at asc, h.id asc
limit 500
-- $1: Acme
