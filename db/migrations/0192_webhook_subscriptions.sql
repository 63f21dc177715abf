-- Webhooks have no fingerprint any more: each of their subscriptions is compared with those of other webhooks.
drop index relata.webhooks_fingerprint;
alter table relata.webhooks drop column fingerprint;
