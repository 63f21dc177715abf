-- The statistics of a webhook count its attempts by their own time. The retries of a delivery are up to three days younger than it.
create index delivery_attempts_of_webhook on relata.delivery_attempts (webhook_id, at);
