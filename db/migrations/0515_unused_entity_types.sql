-- Entity types of which no entity was created yet. Reads leave out their tables where they are the other side of a relationship.

-- False from the creation of an object that not every workspace uses until its first record, then true for good.
alter table relata.entity_types add column is_used boolean not null default true;
