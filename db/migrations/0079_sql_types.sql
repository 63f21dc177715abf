-- The types of the columns that SQL of API callers reads. The roles of workspaces may name them, and nothing else here.
create schema relata_sql;
create type relata_sql.record_reference as (entity_definition_id uuid, entity_instance_id uuid);
create type relata_sql.personal_name as (first_name text, last_name text, full_name text);
create type relata_sql.location as (
  line_1 text,
  line_2 text,
  line_3 text,
  line_4 text,
  locality text,
  region text,
  postcode text,
  country_code text,
  latitude text,
  longitude text
);
create type relata_sql.actor_reference as (actor_type text, actor_id uuid);
create type relata_sql.interaction as (interaction_type text, interacted_at timestamptz, owner_actor_id uuid);
grant usage on schema relata_sql to public;
