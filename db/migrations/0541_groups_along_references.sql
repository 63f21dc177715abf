-- A table may be grouped by an attribute of referenced records: "<id of the reference>.<id of the attribute>", as in visible_attributes.

alter table relata.views alter column group_by type text using group_by::text;
