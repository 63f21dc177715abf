select h.*
from "w_1"."o_1" h
where h.a_10_target_record_id in (select t1.id from "w_1"."o_2" t1 where t1.a_42_root_domain @> $1::text[])
order by h.created_at asc, h.id asc
limit 500
-- $1: {"acme.com"}
