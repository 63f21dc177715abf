-- The members who follow records. See docs/decisions/console.md (Home).

create table relata.record_followers (
  workspace_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  member_id uuid not null,
  followed_at timestamptz not null,
  primary key (workspace_id, record_id, member_id),
  -- The record is in a workspace table, so `server/engine/attachments` deletes and moves its rows.
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, member_id) references relata.workspace_members on delete cascade
);

create index record_followers_of_member on relata.record_followers (workspace_id, member_id, followed_at);
create index record_followers_of_object on relata.record_followers (workspace_id, object_id);
