-- The language of the console and of emails for a person. Null until the person signs in with a browser or chooses one.
alter table relata.accounts add column language text check (language in ('en', 'de'));
