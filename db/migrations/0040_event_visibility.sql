-- Who may see a change event that was delivered: by its type, which is kept already, and by the list it names.

-- Null where the event names no list.
alter table relata.deliveries add column list_id text;
update relata.deliveries set list_id = substring(body from '"list_id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')
where event_type like 'list%' or event_type like 'comment%';

-- Of a request that is a message of a webhook: the event in it, and the list that event names.
alter table relata.test_requests
  add column event_type text,
  add column list_id text;
update relata.test_requests set
  event_type = substring(body from '"event_type":"([a-z-]+\.[a-z]+)"'),
  list_id = substring(body from '"list_id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')
where webhook_id is not null;

-- The number of the actor who last said what the webhook is told and where: it is told what this actor may see.
alter table relata.webhooks add column saved_by int;
update relata.webhooks set saved_by = created_by;
alter table relata.webhooks alter column saved_by set not null;

-- The keys of a client, for the webhooks that are its own.
create index tokens_client_id on relata.tokens (workspace_id, client_id) where grant_id is null and revoked_at is null;
