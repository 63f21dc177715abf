-- Whether entities had equal values when the attribute was made unique: then only one of them has the key. See docs/decisions/writes.md.
alter table relata.attributes add column has_duplicates boolean not null default false;
