-- The hashes of several texts, for conditions that an index over the hashes of texts serves. See docs/decisions/indexes.md.
create function relata.text_hashes(texts text[]) returns bigint[]
  language sql immutable strict parallel safe
  as $$ select array(select hashtextextended(each.text, 0) from unnest(texts) as each(text)) $$;
