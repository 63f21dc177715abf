-- The functions of record search. Indexes over them store their results, so the results must never change: other rules need functions
-- with other names. See docs/decisions/search.md.

-- The words of a text, in lower case and without accents, separated by spaces. `server/engine/search/words.ts` does the same.
create function relata.search_words(text) returns text
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
create function relata.search_handles(text[]) returns text
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

-- All groups of three successive digits of telephone numbers in E.164, such as #421 #219. Any part of a number has some of them.
create function relata.search_digits(text[]) returns text
  language plpgsql immutable strict parallel safe cost 20 as $$
declare
  number text;
  digits text := '';
begin
  foreach number in array $1[1:100] loop
    -- One by one: a loop over the digits takes twice as long.
    digits := concat(digits,
      ' #', substr(number, 2, 3), ' #', substr(number, 3, 3), ' #', substr(number, 4, 3), ' #', substr(number, 5, 3),
      ' #', substr(number, 6, 3), ' #', substr(number, 7, 3), ' #', substr(number, 8, 3), ' #', substr(number, 9, 3),
      ' #', substr(number, 10, 3), ' #', substr(number, 11, 3), ' #', substr(number, 12, 3), ' #', substr(number, 13, 3),
      ' #', substr(number, 14, 3));
  end loop;
  return digits;
end
$$;

-- All that a record is found by. What is very long counts only as far as an index can hold it.
create function relata.search_tokens(label text, keys text[], handles text[], phone_numbers text[]) returns tsvector
  -- Searches are short: starting other processes for them would take longer than they do.
  language plpgsql immutable parallel restricted cost 1000 as $$
declare
  words text := left(relata.search_words(
    concat_ws(' ', left(label, 500), array_to_string(keys[1:100], ' '), relata.search_handles(handles[1:20]))), 30000);
begin
  if octet_length(words) > 2000 then
    words := regexp_replace(words, '(\S{250})\S+', '\1', 'g');
  end if;
  return concat(words, relata.search_digits(phone_numbers))::tsvector;
end
$$;

-- Pairs of words, each cut to three letters, as one more word: ada+lov. A search for a first and a last name, or their beginnings, reads
-- one entry of the index instead of comparing all records with either. Of the first four words of three letters and more.
create function relata.search_pairs(words text) returns text
  language plpgsql immutable strict parallel safe cost 20 as $$
declare
  word text;
  other text;
  others text[] := '{}';
  pairs text := '';
begin
  foreach word in array string_to_array(words, ' ') loop
    continue when length(word) < 3;
    foreach other in array others loop
      pairs := concat(pairs, ' ', other, '+', left(word, 3));
    end loop;
    others := others || left(word, 3);
    exit when cardinality(others) = 4;
  end loop;
  return pairs;
end
$$;

-- All that a record is found by. What is very long counts only as far as an index can hold it.
create function relata.search_entries(label text, keys text[], handles text[], phone_numbers text[]) returns tsvector
  -- Searches are short: starting other processes for them would take longer than they do.
  language plpgsql immutable parallel restricted cost 1000 as $$
declare
  named text := coalesce(relata.search_words(left(label, 500)), '');
  words text := left(concat(named, ' ', relata.search_words(
    concat_ws(' ', array_to_string(keys[1:100], ' '), relata.search_handles(handles[1:20])))), 30000);
begin
  if octet_length(words) > 2000 then
    words := regexp_replace(words, '(\S{250})\S+', '\1', 'g');
  end if;
  return concat(words, relata.search_pairs(named), relata.search_digits(phone_numbers))::tsvector;
end
$$;
