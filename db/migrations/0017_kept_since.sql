-- From when on the rows of tables that expire are all there: none that came later has been dropped.
create table relata.kept_since (
  table_name text primary key,
  since timestamptz not null
);
