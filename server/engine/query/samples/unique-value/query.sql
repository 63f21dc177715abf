select h.*
from "w_1"."o_1" h
where h.id in (select u1.entity_id from "w_1".uniques u1 where u1.attribute = 8 and u1.key = $1::text)
order by h.created_at asc, h.id asc
limit 500
-- $1: ada@example.com
