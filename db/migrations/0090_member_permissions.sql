-- What the members of a workspace may do beyond their role. Admins may do everything.
alter table relata.workspaces add column member_permissions text[] not null default '{}'
  check (member_permissions <@ array['data_model', 'webhooks', 'api_keys', 'apps', 'import_definitions']);
