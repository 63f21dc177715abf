-- The queue of interaction attributes says since when a write waits, so that `computed_at` of look-ups over these attributes covers it.

-- Null when time alone changes the attributes next.
alter table relata.interaction_refreshes add column requested_at timestamptz;

create index interaction_refreshes_requested on relata.interaction_refreshes (workspace_id, requested_at) where requested_at is not null;
