-- From when on deliveries of a webhook may wait: none that is older does. So that nobody looks through all partitions.
alter table relata.webhooks add column waiting_since timestamptz not null default '-infinity';
