-- The time zone of the periods in the filter of a job. Null for UTC.

alter table relata.jobs add column time_zone text;
