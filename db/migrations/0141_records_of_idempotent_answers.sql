-- The records whose values an answer of an idempotent request may have, so that it is found when one is deleted for good.
alter table relata.idempotent_answers add column record_ids uuid[] not null default '{}';
update relata.idempotent_answers set record_ids = array(
  select distinct id[1]::uuid
  from regexp_matches(body, '"(?:parent_)?record_id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"', 'g') id);
create index idempotent_answers_record_ids on relata.idempotent_answers using gin (record_ids);
