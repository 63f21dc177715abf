-- Templates of emails, and the links by which recipients unsubscribe. See docs/reference/sending-email.md (Templates).

create table relata.email_templates (
  workspace_id uuid not null references relata.all_workspaces on delete cascade,
  id uuid not null,
  -- The object whose attributes its variables name.
  object_id uuid not null,
  name text not null,
  subject text not null,
  body text not null,
  -- Whether emails have the headers by which programs unsubscribe the recipient with one press.
  unsubscribe boolean not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade
);

create index email_templates_object on relata.email_templates (workspace_id, object_id);

alter table relata.sent_emails add column unsubscribe_url text;
