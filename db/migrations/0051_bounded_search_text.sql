-- The search functions bound their input. PostgreSQL takes n² steps to normalise a run of n combining marks.
-- Search indexes stay valid: they hold labels of at most 500 characters and handles of at most 200, for which the functions
-- return what they returned before. See docs/decisions/search.md.

-- The words of a text, in lower case and without accents, separated by spaces. `server/engine/search/words.ts` does the same.
create or replace function relata.search_words(text) returns text
  language plpgsql immutable strict parallel safe cost 50 as $$
declare
  words text := lower(relata.search_bounded($1));
begin
  -- The separators of names, addresses and domains. Most texts need no further step.
  words := replace(replace(replace(replace(replace(replace(replace(
    words, '''', ''), '.', ' '), '@', ' '), '-', ' '), '/', ' '), '_', ' '), ':', ' ');
  if words !~ '[^a-z0-9 ]' then
    return words;
  end if;
  words := lower(regexp_replace(normalize(words, nfkd), '[\u0300-\u036f]+', '', 'g'));
  if octet_length(words) > length(words) then
    words := translate(replace(replace(replace(replace(words, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'øłđðıς''’', 'olddiσ');
  end if;
  return regexp_replace(words, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u1680\u2000-\u206f\u3000-\u303f]+', ' ', 'g');
end
$$;

-- The first 30,000 characters of a text, with at most 32 accents in a row and at most 500 characters without a separator.
create function relata.search_bounded(text) returns text
  language plpgsql immutable strict parallel safe cost 10 as $$
begin
  if octet_length($1) <= 500 then
    return $1;
  end if;
  -- A pattern repeats a part at most 255 times.
  return regexp_replace(
    regexp_replace(left($1, 30000), '([\u0300-\u036f]{32})[\u0300-\u036f]+', '\1', 'g'),
    '((?:[^ .@/_:-]{250}){2})[^ .@/_:-]+', '\1', 'g');
end
$$;

-- Names in social networks. Of an address such as https://network.com/in/name, the name is the last part.
create or replace function relata.search_handles(text[]) returns text
  language plpgsql immutable strict parallel safe cost 20 as $$
declare
  handle text;
  handles text := '';
begin
  foreach handle in array $1 loop
    if handle is not null then
      handles := concat(handles, ' ', split_part(rtrim(left(handle, 250), '/'), '/', -1));
    end if;
  end loop;
  return handles;
end
$$;
