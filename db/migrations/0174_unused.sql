-- What only earlier development versions used: the function of their search index, and the mark of imports that they ran.
delete from relata.indexes where definition like '%relata.search_tokens(%';
drop function relata.search_tokens cascade;
alter table relata.imports drop column is_recorded;
