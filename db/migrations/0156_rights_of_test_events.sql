-- A hash of the rights that the viewers of the webhook had when a test event was made. Null for other events.
alter table relata.deliveries add column rights text;
