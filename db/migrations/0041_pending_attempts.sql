-- Guesses that are being checked: they count as failures until they turn out right, so that others wait for them.
alter table relata.attempts
  add column pending int not null default 0,
  -- Those of a process that is gone count no more from here on.
  add column pending_until timestamptz not null default '-infinity';
