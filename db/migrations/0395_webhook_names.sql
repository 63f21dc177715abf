-- The name that people give a webhook.

alter table relata.webhooks add column name text check (char_length(name) between 1 and 255);
