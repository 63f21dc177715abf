-- Tables and columns take the names that the glossary gives them.

alter table relata.owners rename to entity_types;
alter table relata.attributes rename column owner_id to entity_type_id;
alter table relata.indexes rename column owner_id to entity_type_id;
alter table relata.indexes rename column wishes to requests;
alter table relata.indexes rename column first_wished_at to first_requested_at;
alter table relata.indexes rename column last_wished_at to last_requested_at;
alter table relata.views rename column owner_id to entity_type_id;
alter table relata.webhook_notices rename to webhook_alerts;

-- An attribute's values are in columns of their own, in the entity's own columns, or with the partner of its relationship.
alter table relata.attributes drop constraint attributes_stored_in_check;
update relata.attributes set stored_in = 'entity' where stored_in = 'holder';
alter table relata.attributes add check (stored_in in ('columns', 'entity', 'partner'));

do $$
declare
  workspace record;
begin
  for workspace in select number from relata.workspaces loop
    execute format('alter table %I.uniques rename column holder_id to entity_id', 'w_' || workspace.number);
    execute format('alter table %I.history rename column holder_id to entity_id', 'w_' || workspace.number);
    execute format('alter index %I.history_holder_id rename to history_entity_id', 'w_' || workspace.number);
  end loop;
end
$$;
