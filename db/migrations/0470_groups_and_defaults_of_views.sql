-- By which attribute a table groups its rows, and which view opens for everyone.

alter table relata.views
  -- The id of the attribute; null for no groups.
  add column group_by uuid,
  -- Of at most one shared view of an object, a list or an activity.
  add column is_default boolean not null default false;
