-- Tracked look-ups and rollups, up to when values are true, and the progress of a computation. See docs/decisions/rollups.md.

alter table relata.rollup_refreshes
  -- The time of the oldest write that requested the work.
  add column requested_at timestamptz not null default now(),
  -- Whether a source was deleted for good, so that the history of the values is deleted too.
  add column is_erasure boolean not null default false,
  -- Of an attribute of all entities: how many are computed, and how many there were when the computation began.
  add column computed_count bigint not null default 0,
  add column total_count bigint;

alter table relata.formula_fills
  add column computed_count bigint not null default 0,
  add column total_count bigint;
