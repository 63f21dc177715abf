-- Entity types that were deleted and can be restored until `due_at`. Until then they have their rows, their tables and everything that
-- refers to them, but no data model shows them. A row is also the work of the worker that deletes them for good afterwards, with the
-- columns of every queue. See docs/decisions/deleted-objects.md.
create table relata.deleted_entity_types (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  deleted_at timestamptz not null,
  -- The number of the actor.
  deleted_by int not null,
  expires_at timestamptz not null,
  -- The names of the entity type, and by their ids the slugs of lists and attributes that are hidden with it. The columns of
  -- these names have the id meanwhile, so that the names are free.
  names jsonb not null,
  -- When the deletion for good is due, and while a process has the row, the end of its lease.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, entity_type_id),
  foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade
);

create index deleted_entity_types_due on relata.deleted_entity_types (due_at) where due_at is not null;
