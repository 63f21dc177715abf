-- Activities are a third kind of entity type beside objects and lists, with records of their own.
alter table relata.entity_types drop constraint owners_kind_check;
alter table relata.entity_types
  add constraint entity_types_kind_check check (kind in ('object', 'list', 'activity'));

-- The records of an activity are in table a_<number>.
create table relata.activities (
  workspace_id uuid not null,
  id uuid not null,
  singular_noun text not null,
  plural_noun text not null,
  -- The schema whose attributes the activity got when it was created.
  schema_slug text not null,
  -- Which of the system activities this is; null for a custom one.
  system_slug text,
  primary key (workspace_id, id),
  foreign key (workspace_id, id) references relata.entity_types on delete cascade,
  unique (workspace_id, system_slug)
);

alter table relata.jobs drop constraint jobs_kind_check;
alter table relata.jobs add constraint jobs_kind_check check (kind in ('object', 'list', 'activity'));
