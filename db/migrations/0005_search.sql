-- What search finds records by: their words, made alike. An index over these functions keeps what they gave, so what they
-- give must never change: other rules need functions with other names. See docs/decisions/search.md.

-- Text in small letters without accents, its words apart by spaces. `server/engine/search/words.ts` does the same.
create function relata.search_words(text) returns text
  language plpgsql immutable strict parallel safe cost 50 as $$
declare
  words text := lower($1);
begin
  -- What names, addresses and domains usually have; most texts are done with it.
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

-- Names in social networks, of which an address such as https://network.com/in/name has only the last part.
create function relata.search_handles(text[]) returns text
  language plpgsql immutable strict parallel safe cost 20 as $$
declare
  handle text;
  handles text := '';
begin
  foreach handle in array $1 loop
    if handle is not null then
      handles := concat(handles, ' ', split_part(rtrim(handle, '/'), '/', -1));
    end if;
  end loop;
  return handles;
end
$$;

-- Every three digits in a row of telephone numbers in E.164, #421 #219 and so on: any part of a number has some of them.
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
