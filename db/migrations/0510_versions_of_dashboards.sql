-- The version of a dashboard, which each change raises, so that a change can name the one that it saw. See docs/reference/dashboards.md.

alter table relata.dashboards add column version integer not null default 1;
