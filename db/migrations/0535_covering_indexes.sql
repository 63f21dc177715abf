-- Indexes that have all columns which an aggregate reads. See docs/decisions/indexes.md.

alter table relata.indexes drop constraint indexes_kind_check;
alter table relata.indexes add constraint indexes_kind_check check (kind in
  ('ordered', 'descending', 'exact', 'elements', 'trigram', 'search', 'composite', 'partial', 'covering'));
