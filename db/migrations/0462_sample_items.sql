-- What the sample data of a workspace consists of, so that its removal deletes exactly that.

create table relata.sample_items (
  workspace_id uuid not null references relata.all_workspaces (id) on delete cascade,
  kind text not null check (kind in ('record', 'note', 'task', 'meeting')),
  id uuid not null,
  -- The object of a record.
  object_id uuid,
  -- The order of their creation: records refer only to earlier ones.
  position int not null,
  primary key (workspace_id, kind, id),
  check ((kind = 'record') = (object_id is not null))
);
