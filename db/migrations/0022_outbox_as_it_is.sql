-- A write waits while what it tells is compressed, and it is kept for some milliseconds only.
alter table relata.outbox alter column events set storage external;
