-- Indexes of lists of references take new entries at once. Each read of such an index had to look through all entries that were not sorted in yet,
-- up to 4 MB of them.

do $$ declare index regclass; begin for index in select i.oid from pg_class i join pg_am m on m.oid = i.relam where m.amname = 'gin' and i.relnamespace = '{schema}'::regnamespace and i.relname ~ '^[oal]_[0-9]+_a_[0-9]+_target_record_id$' loop execute format('alter index %s set (fastupdate = off)', index); perform gin_clean_pending_list(index); end loop; end $$;
