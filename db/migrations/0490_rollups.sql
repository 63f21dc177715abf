-- Look-ups and rollups: computed attributes whose columns a worker fills from other entities. See docs/decisions/rollups.md.

-- `worker`: in columns that a worker fills.
alter table relata.attributes drop constraint attributes_stored_in_check;
alter table relata.attributes add constraint attributes_stored_in_check
  check (stored_in in ('columns', 'entity', 'partner', 'formula', 'worker'));

-- What the worker computes, with the columns of every queue.
create table relata.rollup_refreshes (
  workspace_id uuid not null,
  -- The entity, the attribute, or a hash of both.
  id uuid not null,
  -- The entity type with the look-ups and rollups.
  entity_type_id uuid not null,
  -- Null: all look-ups and rollups of the entity.
  attribute_id uuid,
  -- With an attribute: of the entities that refer to this one. Null: of all entities.
  entity_id uuid,
  -- The last entity that is computed. Null for a single one.
  after uuid,
  -- When the work is due, and while a process has the row, the end of its lease.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, id),
  foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, attribute_id) references relata.attributes on delete cascade
);

create index rollup_refreshes_due on relata.rollup_refreshes (due_at) where due_at is not null;
-- The attributes that are computed for all entities, which the data model names.
create index rollup_refreshes_of_all on relata.rollup_refreshes (workspace_id, attribute_id)
  where attribute_id is not null and entity_id is null;
