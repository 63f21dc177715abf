-- Two words of a name, each cut to three letters, as one more word: ada+lov. Who types a first and a last name, or their
-- beginnings, is looked up by it at once, instead of comparing all that have the one with all that have the other.
-- Indexes over `relata.search_tokens` stay until nobody uses them. See docs/decisions/search.md.

-- Of the first four words of three letters and more, which are apart by spaces.
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
