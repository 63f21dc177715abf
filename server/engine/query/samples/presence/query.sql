select h.*
from "w_1"."o_1" h
where ((h.a_7_full_name is not null or h.a_7_first_name is not null or h.a_7_last_name is not null) and h.a_13_phone_number is not null and (h.a_14_line_1 is not null or h.a_14_line_2 is not null or h.a_14_line_3 is not null or h.a_14_line_4 is not null or h.a_14_locality is not null or h.a_14_region is not null or h.a_14_postcode is not null or h.a_14_country_code is not null or h.a_14_latitude is not null or h.a_14_longitude is not null))
order by h.created_at asc, h.id asc
limit 500
